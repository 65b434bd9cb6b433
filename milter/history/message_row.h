#pragma once

#include <cstdint>
#include <string_view>

#include "milter/history/message_record.h"
#include "milter/rules/facts.h"
#include "milter/rules/verdict.h"
#include "mime/fingerprint/piece_shingle.h"
#include "storage/sqlite/history/history_table.h"

namespace shingled::milter::history {

/// What a person has said of a message. The numbers are in files.
enum class Label : std::uint8_t { kNone = 0, kSpam = 1, kHam = 2 };

std::string_view to_string(Label label);  ///< "none" "spam" "ham"

/// A message with its verdict. The views must outlive the call.
struct JudgedMessage {
  std::string_view queue_id;
  std::string_view sender;      ///< path of MAIL; empty = not known
  std::string_view message_id;  ///< as in its header; empty = none
  const rules::Facts& facts;
  const rules::Verdict& verdict;
  bool unseen = false;   ///< judged without a look at it
  bool dry_run = false;  ///< the action was not carried out
};

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
