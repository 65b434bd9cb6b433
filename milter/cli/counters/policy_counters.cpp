#include "milter/cli/counters/policy_counters.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "milter/cli/counters/counted_message.h"
#include "milter/cli/counters/counted_policy.h"
#include "milter/counters/matched_pieces.h"
#include "milter/similar/similar_evidence.h"

namespace shingled::milter::cli {

namespace {

using storage::counters::Measure;

/// The known files that matched, each once.
std::vector<mime::Piece> matched_files(const rules::Facts& facts) {
  std::vector<mime::Piece> out;
  for (const rules::Findings& findings : facts.findings) {
    if (findings.source != &similar::kSimilarSource) continue;
    for (const rules::Evidence& item : findings.evidence) {
      std::string list;
      std::string sample;
      for (const rules::Detail& detail : item.explanation().details) {
        if (detail.name == "list") list = std::get<std::string>(detail.value);
        if (detail.name == "sample") sample = std::get<std::string>(detail.value);
      }
      mime::Piece piece = counters::matched_file(list, sample);
      if (std::ranges::find(out, piece) == out.end()) out.push_back(std::move(piece));
    }
  }
  return out;
}

bool has_own_word(const features::Sums& sums) {
  return sums.of(Measure::kOwnComplaint) > 0 || sums.of(Measure::kOwnRescue) > 0;
}

}  // namespace

void PolicyCounters::add_to(rules::Facts& facts, std::string_view message,
                            const counters::Envelope& envelope, Console& console) {
  if (needs_.empty() || away_ || !desk_.has_counters()) return;
  auto found = pieces_of(message, envelope, pieces_, settings_);
  for (mime::Piece& piece : counters::matched_hashes(facts.lookups))
    found.pieces.push_back(std::move(piece));
  for (mime::Piece& piece : matched_files(facts)) found.pieces.push_back(std::move(piece));
  auto asked = ask_counters(client_, envelope.user.empty() ? Direction::kIn : Direction::kOut,
                            found.pieces, needs_, envelope.recipients);
  if (asked) {
    facts.counters = *std::move(asked);
    facts.counters.left_out = found.dropped > 0;
  } else {
    away_ = true;
    console.note("the counters are unknown: " + asked.error().message);
  }
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

}  // namespace shingled::milter::cli
