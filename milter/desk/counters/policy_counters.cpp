#include "milter/desk/counters/policy_counters.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "milter/counters/message_pieces.h"
#include "milter/desk/counters/counted_policy.h"

namespace shingled::milter::desk {

namespace {

using storage::counters::Measure;

bool has_own_word(const features::Sums& sums) {
  return sums.of(Measure::kOwnComplaint) > 0 || sums.of(Measure::kOwnRescue) > 0;
}

}  // namespace

judge::CounterSource* PolicyCounters::of(const counters::Envelope& envelope) {
  envelope_ = &envelope;
  return needs_.empty() || away_ || !desk_.has_counters() ? nullptr : this;
}

rules::CounterFacts PolicyCounters::look(judge::MessageView& message,
                                         std::vector<mime::Piece> matched, TimePoint /*deadline*/,
                                         const std::stop_token& /*stop*/) {
  counters::MessagePieces found = message.pieces(*envelope_);
  proved_ = counters::is_from_proved(found.pieces);
  found.pieces.insert(found.pieces.end(), matched.begin(), matched.end());
  matched_ = std::move(matched);
  rules::CounterFacts facts;
  ask(found.pieces, facts);
  if (!away_) facts.left_out = found.dropped > 0;
  return facts;
}

void PolicyCounters::look_again(std::vector<mime::Piece> matched, TimePoint /*deadline*/,
                                rules::CounterFacts& facts) {
  std::erase_if(matched, [&](const mime::Piece& piece) {
    return std::ranges::find(matched_, piece) != matched_.end();
  });
  if (!matched.empty() && !away_) ask(matched, facts);
}

void PolicyCounters::ask(std::span<const mime::Piece> pieces, rules::CounterFacts& facts) {
  auto asked = ask_counters(client_, envelope_->user.empty() ? Direction::kIn : Direction::kOut,
                            pieces, needs_, proved_, envelope_->recipients);
  if (!asked) {
    away_ = true;
    note_("the counters are unknown: " + asked.error().message);
    return;
  }
  facts.needs = std::move(asked->needs);
  std::ranges::move(asked->pieces, std::back_inserter(facts.pieces));
}

std::vector<OwnWord> own_words(const rules::CounterFacts& counters) {
  std::vector<OwnWord> out;
  for (const rules::PieceCounts& counts : counters.pieces) {
    // A longer window has all of a shorter one.
    const auto longest = std::ranges::max_element(counts.sums, {}, [](const features::Sums& sums) {
      return sums.of(Measure::kOwnComplaint) + sums.of(Measure::kOwnRescue);
    });
    if (longest != counts.sums.end() && has_own_word(*longest))
      out.push_back({counts.piece, *longest});
  }
  return out;
}

}  // namespace shingled::milter::desk
