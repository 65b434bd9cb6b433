#include "milter/judge/message_count.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "milter/counters/envelope.h"
#include "milter/counters/message_origin.h"
#include "mime/message/header_block.h"

namespace shingled::milter::judge {

namespace {

using counters::CountingState;
using counters::Envelope;
using counters::RetryName;
using storage::counters::Amounts;
using storage::counters::Measure;

}  // namespace

void MessageCount::recipient(std::string_view path) {
  if (seen_.contains(path)) return;
  ++accepted_;
  recipients_hash_ += SecretHash::of_process()(path);
  const std::uint32_t user_max = envelope_.user.empty() ? 0 : counters::kUserRecipientsMax;
  if (seen_.size() >= std::max(pieces().recipients_max, user_max)) return;
  seen_.emplace(path);
  envelope_.recipients.emplace_back(path);
}

rules::CounterFacts MessageCount::look(MessageView& message, std::vector<mime::Piece> matched,
                                       TimePoint deadline, const std::stop_token& stop) {
  const Clock& clock = counter_->clock();
  const TimePoint start = clock.now();
  found_ =
      message.pieces(envelope_, [&] { return stop.stop_requested() || clock.now() >= deadline; });
  found_->dropped += accepted_ - envelope_.recipients.size();
  own_ = found_->pieces.size();
  static_cast<void>(take(std::move(matched)));
  counter_->state().pieces.observe(clock.now() - start);
  keys_ = counter_->keys_of(found_->pieces, direction_);
  persons_ = counter_->persons_of(envelope_.recipients);
  // One more than are known: not all recipients can have said something.
  if (accepted_ > envelope_.recipients.size() && !persons_.empty()) persons_.push_back(UINT64_MAX);
  proved_ = counters::is_from_proved(found_->pieces);
  rules::CounterFacts facts = counter_->ask(found_->pieces, keys_, deadline, persons_, proved_);
  facts.left_out = found_->dropped > 0;
  return facts;
}

std::vector<mime::Piece> MessageCount::take(std::vector<mime::Piece> matched) {
  std::vector<mime::Piece>& known = found_->pieces;
  std::vector<mime::Piece> added;
  for (mime::Piece& piece : matched) {
    if (std::ranges::find(known, piece) != known.end()) continue;
    added.push_back(piece);
    known.push_back(std::move(piece));
  }
  return added;
}

void MessageCount::look_again(std::vector<mime::Piece> matched, TimePoint deadline,
                              rules::CounterFacts& facts) {
  if (!found_) return;
  const std::vector<mime::Piece> added = take(std::move(matched));
  if (added.empty()) return;
  const auto keys = counter_->keys_of(added, direction_);
  keys_.insert(keys_.end(), keys.begin(), keys.end());
  rules::CounterFacts more = counter_->ask(added, keys, deadline, persons_, proved_);
  std::ranges::move(more.pieces, std::back_inserter(facts.pieces));
  facts.left_out = found_->dropped > 0;
  facts.time += more.time;
}

void MessageCount::add(const rules::Facts& facts, const rules::Verdict& verdict,
                       std::string_view message, bool put_off) noexcept {
  if (!found_ || facts.stopped) return;
  if (keys_.size() != found_->pieces.size()) return;  // there was no memory for them
  try {
    count(facts, verdict, message, put_off);
  } catch (...) {  // memory
    counter_->state().events.failures.add();
  }
  found_.reset();
}

void MessageCount::count(const rules::Facts& facts, const rules::Verdict& verdict,
                         std::string_view message, bool put_off) {
  CountingState& state = counter_->state();
  const TimePoint now = counter_->clock().now();
  RetryName name{.sender = envelope_.sender, .recipients = recipients_hash_, .size = facts.bytes};
  bool repeated = false;
  if (put_off || state.retries.size() > 0) {
    name.message_id =
        counters::message_id_of(mime::split_header_block(message, MimeOptions{}).fields);
    repeated = state.retries.knows(name, now);
  }
  if (repeated) {
    state.events.retries.add();
  } else if (counter_->add(
                 found_->pieces, keys_,
                 counters::judged_amounts(facts, verdict, counter_->thresholds(), accepted_))) {
    state.events.messages.add();
    state.events.pieces.add(found_->pieces.size());
    state.events.dropped.add(found_->dropped);
  } else {
    return;  // its retry will be counted
  }
  if (put_off) state.retries.remember(name, now);
}

void MessageCount::end() noexcept {
  if (refused_ == 0) return;
  try {
    count_refused();
  } catch (...) {  // memory
    counter_->state().events.failures.add();
  }
  refused_ = 0;
}

void MessageCount::count_refused() {
  Envelope envelope = envelope_;
  envelope.recipients.clear();
  mime::PieceList pieces(this->pieces());
  counters::add_envelope_pieces(counters::normal_envelope(envelope, 0), pieces);
  Amounts amounts;
  amounts.of(Measure::kFailed) = refused_;
  if (counter_->add(pieces.take(), direction_, amounts)) {
    counter_->state().events.refused_recipients.add(refused_);
  }
}

}  // namespace shingled::milter::judge
