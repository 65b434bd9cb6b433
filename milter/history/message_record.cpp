#include "milter/history/message_record.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "config/base/ascii.h"
#include "milter/counters/envelope.h"
#include "milter/counters/message_origin.h"
#include "milter/history/row_code.h"
#include "mime/pieces/piece_list.h"

namespace shingled::milter::history {

namespace {

using rules::Evidence;
using storage::counters::Window;

constexpr std::size_t kQueueIdBytesMax = 128;
constexpr std::array<std::string_view, 2> kPolicySources = {"policy", "counter_policy"};

// The numbers of actions are in files.
static_assert(static_cast<unsigned>(rules::Action::kPass) == 0 &&
              static_cast<unsigned>(rules::Action::kAddHeader) == 1 &&
              static_cast<unsigned>(rules::Action::kTempfail) == 2 &&
              static_cast<unsigned>(rules::Action::kQuarantine) == 3 &&
              static_cast<unsigned>(rules::Action::kReject) == 4 &&
              static_cast<unsigned>(rules::Action::kDiscard) == 5);

std::uint32_t short_shingle(const CounterKeyBytes& site, const mime::Piece& piece) {
  const bool pair = is_pair(piece.type);
  const std::uint64_t shingle =
      pair ? piece_shingle(site, piece.type, pair_piece(piece.first, piece.second))
           : piece_shingle(site, piece.type, piece.first);
  return static_cast<std::uint32_t>(shingle);
}

/// Adds the evidence of one source, each symbol once for each effect.
void add_evidence(const rules::Findings& findings, std::vector<EvidenceRecord>& out) {
  const bool policy =
      findings.source != nullptr &&
      std::ranges::find(kPolicySources, findings.source->key) != kPolicySources.end();
  const std::size_t first = out.size();
  for (const Evidence& evidence : findings.evidence) {
    if (evidence.effect == Evidence::Effect::kDropped) continue;
    const auto same =
        std::find_if(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
                     [&](const EvidenceRecord& other) {
                       return other.symbol == evidence.symbol && other.effect == evidence.effect;
                     });
    if (same == out.end()) {
      out.push_back({evidence.symbol, evidence.score, evidence.effect, policy, evidence.place});
    } else if (std::abs(evidence.score) > std::abs(same->score)) {
      same->score = evidence.score;
    }
  }
}

bool has_voices(const features::CounterNeed& need) {
  return !is_pair(need.type) && !is_unique(need.type);
}

}  // namespace

std::vector<Window> windows_of_all(const features::CounterNeeds& asked) {
  std::vector<Window> windows;
  for (const features::CounterNeed& need : asked)
    if (!is_of_report(need.type) && (windows.empty() || has_voices(need))) windows = need.windows;
  for (const features::CounterNeed& need : asked) {
    if (is_of_report(need.type) || windows == need.windows) continue;
    std::erase_if(windows, [&](const Window& window) {
      return (has_voices(need) || !is_long(window)) &&
             std::ranges::find(need.windows, window) == need.windows.end();
    });
  }
  return windows;
}

bool is_known(const rules::PieceCounts& counts, const features::CounterNeed& need) {
  return counts.known && counts.lost.empty() && counts.sums.size() == need.windows.size();
}

namespace {

void add_pieces(const rules::CounterFacts& counters, const CounterKeyBytes& site,
                MessageRecord& record) {
  static const features::CounterNeeds nothing;
  const features::CounterNeeds& asked = counters.needs != nullptr ? *counters.needs : nothing;
  record.windows = windows_of_all(asked);
  const std::size_t windows = record.windows.size();
  const std::vector<Window>* of_need = nullptr;  // most types need the same
  std::vector<std::size_t> places;               // of our windows among them
  record.pieces.reserve(counters.pieces.size());
  record.sums.reserve(counters.pieces.size() * windows);
  auto need = asked.begin();  // of the piece; most follow others of their type
  for (const rules::PieceCounts& counts : counters.pieces) {
    if (need == asked.end() || need->type != counts.piece.type)
      need = std::ranges::find(asked, counts.piece.type, &features::CounterNeed::type);
    const bool known = need != asked.end() && is_known(counts, *need);
    record.pieces.push_back({counts.piece.type, short_shingle(site, counts.piece), known});
    if (known) {
      if (of_need == nullptr || *of_need != need->windows)
        places = features::places_of(record.windows, need->windows);
      of_need = &need->windows;
      for (const std::size_t place : places) {
        features::Sums& out = place < counts.sums.size()
                                  ? record.sums.emplace_back(counts.sums[place])
                                  : record.sums.emplace_back();
        record.recipients = std::max(record.recipients, std::exchange(out.recipients, 0));
      }
    }
    record.sums.resize(record.pieces.size() * windows);  // unknown: zeros
    record.said_known = record.said_known || counts.said_known;
  }
}

}  // namespace

std::string_view to_string(Label label) {
  switch (label) {
    case Label::kNone:
      return "none";
    case Label::kSpam:
      return "spam";
    case Label::kHam:
      return "ham";
  }
  return "none";
}

std::string_view action_text(std::uint8_t action) {
  if (action > static_cast<std::uint8_t>(rules::Action::kDiscard)) return "unknown";
  return to_string(static_cast<rules::Action>(action));
}

std::string_view label_text(std::uint8_t label) {
  if (label > static_cast<std::uint8_t>(Label::kHam)) return "unknown";
  return to_string(static_cast<Label>(label));
}

std::uint64_t sender_id(const CounterKeyBytes& site, std::string_view path) {
  const std::string sender = counters::normal_sender(path);
  if (sender.empty()) return 0;
  return std::max<std::uint64_t>(piece_shingle(site, PieceType::kSender, sender), 1);
}

MessageRecord record_of(const JudgedMessage& message, const CounterKeyBytes& site) {
  const rules::Facts& facts = message.facts;
  MessageRecord record;
  record.score = message.verdict.score;
  record.failed = message.verdict.failed;
  record.unseen = message.unseen || facts.stopped;
  record.incomplete = facts.incomplete || facts.truncated || facts.unasked > 0 ||
                      facts.failed() > 0 ||
                      std::ranges::any_of(facts.findings, [](const rules::Findings& findings) {
                        return findings.incomplete || !findings.gaps.empty();
                      });
  record.dry_run = message.dry_run;
  record.left_out = facts.counters.left_out;
  record.features = facts.features;
  add_pieces(facts.counters, site, record);
  for (const rules::Findings& findings : facts.findings) add_evidence(findings, record.evidence);
  return record;
}

namespace {

/// At most so many bytes, in whole characters. The parts of some are no beginning.
std::string_view shortened(std::string_view text, std::size_t bytes_max) {
  constexpr unsigned kContinues = 0x80;
  constexpr unsigned kKind = 0xC0;
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & kKind) == kContinues) --end;
  return text.substr(0, end);
}

/// The address of a path, as it was written; "<>" of a bounce.
std::string_view address_in(std::string_view path) {
  path = ascii::trim_space(path);
  if (path.starts_with("<>") || !path.starts_with('<')) return shortened(path, kAddressBytesMax);
  return shortened(path.substr(1, path.rfind('>') - 1), kAddressBytesMax);
}

void add_names(const JudgedMessage& message, storage::sqlite::HistoryRow& row) {
  if (message.names == HistoryNames::kOff) return;
  row.sender_name = address_in(message.sender);
  for (const std::string& path : message.recipients) {
    const std::string_view address = address_in(path);
    if (row.recipients.size() + address.size() >= kRecipientsBytesMax) break;
    row.recipients.append(address).append("\n");
  }
  if (message.names == HistoryNames::kSubject)
    row.subject = shortened(message.subject, kSubjectBytesMax);
}

}  // namespace

storage::sqlite::HistoryRow row_of(const JudgedMessage& message, const CounterKeyBytes& site,
                                   std::int64_t time) {
  storage::sqlite::HistoryRow row;
  row.time = time;
  row.queue_id = message.queue_id.substr(0, kQueueIdBytesMax);
  row.message = counters::history_id(site, message.message_id);
  row.sender = sender_id(site, message.sender);
  row.action = static_cast<std::uint8_t>(message.verdict.action);
  row.details = encode_record(record_of(message, site));
  row.kept.assign(message.kept.begin(), message.kept.end());
  add_names(message, row);
  return row;
}

}  // namespace shingled::milter::history
