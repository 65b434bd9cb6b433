#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/byte_reader.h"
#include "config/options/history_options.h"
#include "milter/features/counter_needs.h"
#include "milter/features/feature.h"
#include "milter/rules/evidence.h"
#include "milter/rules/facts.h"
#include "milter/rules/verdict.h"
#include "mime/fingerprint/piece_shingle.h"
#include "mime/fingerprint/piece_type.h"
#include "storage/counters/counter.h"
#include "storage/sqlite/history/history_table.h"

namespace shingled::milter::history {

using features::FeatureValues;

/// A piece of a message.
struct PieceRecord {
  PieceType type{};
  /// The lower half of its shingle: enough to say whether two messages share it.
  std::uint32_t shingle = 0;
  bool known = false;  ///< whether its counters were known
  friend bool operator==(const PieceRecord&, const PieceRecord&) = default;
};

struct EvidenceRecord {
  std::string symbol;
  double score = 0;
  rules::Evidence::Effect effect = rules::Evidence::Effect::kCounts;
  bool policy = false;     ///< made by a rule on features and counters
  std::string place = {};  ///< of the entry of a list that decided: "allow.list:12"
  friend bool operator==(const EvidenceRecord&, const EvidenceRecord&) = default;
};

/// What a message looked like when it was judged. No text of it and no address; names are in its
/// row, if they are wanted.
/// Threads: a value.
struct MessageRecord {
  double score = 0;
  bool failed = false;      ///< the failure policy decided
  bool unseen = false;      ///< judged without a look at it: a limit, no memory, a failure
  bool incomplete = false;  ///< some of it was not looked at, or a look-up had no answer
  bool dry_run = false;     ///< the action was not carried out
  bool left_out = false;    ///< it has more pieces: a bound was met
  bool said_known = false;  ///< the sums have what people said
  /// Persons to whom it went, if somebody said something of a piece; else 0.
  std::uint64_t recipients = 0;
  FeatureValues features;
  std::vector<storage::counters::Window> windows;  ///< that the counters were asked for
  std::vector<PieceRecord> pieces;                 ///< in order of type
  /// Of each piece the sums of each window: that of piece p and window w is at
  /// p * windows.size() + w. Zero if they were not known.
  std::vector<features::Sums> sums;
  std::vector<EvidenceRecord> evidence;
  friend bool operator==(const MessageRecord&, const MessageRecord&) = default;
};

/// The window of what people said, of pieces that are no pairs. In it nothing is counted.
inline constexpr storage::counters::Window kSaidWindow = {storage::counters::Period::Unit::kDay,
                                                          storage::counters::kSaidDaysMax, 0};

// The most of a record. What exceeds it is left out when it is written.
inline constexpr std::size_t kWindowsMax = 128;
inline constexpr std::size_t kPiecesMax = 2000;
inline constexpr std::size_t kEvidenceMax = 64;
inline constexpr std::size_t kWordBytesMax = 128;  ///< of a symbol or a word

/// What a person has said of a message. The numbers are in files.
enum class Label : std::uint8_t { kNone = 0, kSpam = 1, kHam = 2 };

std::string_view to_string(Label label);  ///< "none" "spam" "ham"

/// "reject"; "unknown" for a number of a row that is no action, or no label.
std::string_view action_text(std::uint8_t action);
std::string_view label_text(std::uint8_t label);

/// A message with its verdict. The views must outlive the call.
struct JudgedMessage {
  std::string_view queue_id;
  std::string_view sender;      ///< path of MAIL; empty = not known
  std::string_view message_id;  ///< as in its header; empty = none
  const rules::Facts& facts;
  const rules::Verdict& verdict;
  bool unseen = false;                           ///< judged without a look at it
  bool dry_run = false;                          ///< the action was not carried out
  HistoryNames names = HistoryNames::kOff;       ///< which of the following the row has
  std::span<const std::string> recipients = {};  ///< paths of RCPT
  std::string_view subject = {};                 ///< decoded; empty = not known
  BytesView kept = {};  ///< what a report of it needs (reports/kept_code.h); empty = nothing
};
// The most of the names of a row. What exceeds it is left out.
inline constexpr std::size_t kAddressBytesMax = 320;
inline constexpr std::size_t kRecipientsBytesMax = 4000;
inline constexpr std::size_t kSubjectBytesMax = 300;

/// The windows that were asked for of every type: those of the history. What a rule needs of one
/// type alone is not kept. Of pairs there are no long windows.
/// Threads: stateless.
std::vector<storage::counters::Window> windows_of_all(const features::CounterNeeds& asked);
/// Whether a row has the sums of a piece. `need`: of its type.
bool is_known(const rules::PieceCounts& counts, const features::CounterNeed& need);

/// The id of an envelope sender: the shingle of its piece; 0 for an empty path. "a@example.org",
/// "<A@example.org>" and "<a@example.org> SIZE=1" are the same.
/// Threads: stateless.
std::uint64_t sender_id(const CounterKeyBytes& site, std::string_view path);

/// What a message looked like. The strongest evidence of each symbol of each source stands for all
/// of it.
/// Threads: stateless.
/// Cost:    a hash for each piece.
MessageRecord record_of(const JudgedMessage& message, const CounterKeyBytes& site);

/// Its row; `time`: microseconds since 1970.
/// Threads: stateless.
storage::sqlite::HistoryRow row_of(const JudgedMessage& message, const CounterKeyBytes& site,
                                   std::int64_t time);

}  // namespace shingled::milter::history
