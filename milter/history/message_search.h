#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "config/base/byte_reader.h"
#include "config/base/result.h"
#include "milter/history/message_record.h"
#include "storage/sqlite/history/history_table.h"

namespace shingled::milter::history {

/// A message of the history: its row and what is in it. Valid during the call that gives it.
struct FoundMessage {
  const storage::sqlite::HistoryReader::View& row;
  const MessageRecord& record;
};

/// Which messages are wanted: those that fit all that is not empty. Parts of names fit whatever the
/// case of their ASCII letters, in rows that have names (history.names).
struct MessageQuery {
  storage::sqlite::HistoryReader::Span span;
  std::string queue_id = {};
  std::optional<std::uint64_t> sender_id = {};  ///< history::sender_id(); found without names, too
  /// A part of the address. With both: a part, if no message has that sender.
  std::string sender = {};
  std::string recipient = {};  ///< a part of one of them
  std::string subject = {};    ///< a part
  std::string symbol = {};     ///< of its evidence
  std::string action = {};     ///< "pass", "reject" ...
  std::string label = {};      ///< "spam", "ham", "none"
  /// The beginning of the digest of a hash that a report of it would teach; as long as that is
  /// kept (history.act_for). parse_digest_part().
  Bytes digest = {};
};

/// Digits of a digest that are enough to search for it.
inline constexpr std::size_t kDigestDigitsMin = 16;
/// The first bytes of a digest, of kDigestDigitsMin or more hexadecimal digits, an even number.
/// Errors: kInvalid.
Result<Bytes> parse_digest_part(std::string_view text);

inline constexpr std::uint64_t kNamesALook = 10;

struct SearchBounds {
  std::size_t found_max = SIZE_MAX;
  /// Rows that are looked at; of those whose names do not fit, kNamesALook count as one.
  std::uint64_t looked_max = UINT64_MAX;
};
struct SearchEnd {
  std::uint64_t broken = 0;  ///< rows that could not be read; left out
  /// The end of the span of a search for more; nullopt: there is no more.
  std::optional<std::int64_t> next = {};
};
/// Gives the messages that are wanted to `take`, the newest first, until it returns false.
/// Errors:  those of the reader.
/// Threads: that of the reader.
/// Cost:    reads each row of the span, its names alone (some 0.3 us a row) if the query has a part
///          of one, or only those of a sender; and some 5 us for one that is decoded.
Result<SearchEnd> find_messages(storage::sqlite::HistoryReader& reader, const MessageQuery& query,
                                const SearchBounds& bounds,
                                const std::function<bool(const FoundMessage&)>& take);

/// The name of one message: its queue id, or QUEUE-ID@TIME with the time of its row, as mail
/// servers use queue ids again.
struct MessageName {
  std::string queue_id;
  std::optional<std::int64_t> time;
  friend bool operator==(const MessageName&, const MessageName&) = default;
};
MessageName parse_message_name(std::string_view text);
std::string message_name(const storage::sqlite::HistoryReader::View& row);

/// Gives all messages of a name to `take`, the newest first.
/// Errors:  those of the reader. Returns how many rows cannot be read.
/// Threads: that of the reader.
Result<std::uint64_t> find_named(storage::sqlite::HistoryReader& reader, std::string_view name,
                                 const std::function<void(const FoundMessage&)>& take);

}  // namespace shingled::milter::history
