#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/base/byte_reader.h"
#include "config/base/result.h"
#include "storage/sqlite/base/database.h"
#include "storage/sqlite/base/owned_file.h"

namespace shingled::storage::sqlite {

/// One message of the history. What the numbers and the details mean is for others to say.
struct HistoryRow {
  std::int64_t time = 0;  ///< microseconds since 1970; no two rows have the same
  std::string queue_id;
  std::uint64_t message = 0;  ///< keyed hash of the Message-ID; 0 = none
  std::uint64_t sender = 0;   ///< keyed hash of the envelope sender; 0 = not known
  std::uint8_t action = 0;
  std::uint8_t label = 0;  ///< 0 = none
  Bytes details;           ///< not empty
  // In clear, so that people can search for them; empty = not known, or not wanted.
  std::string sender_name = {};
  std::string recipients = {};  ///< each with a line end after it
  std::string subject = {};     ///< UTF-8
  Bytes kept = {};              ///< what a report of it needs; empty = it cannot be reported
  friend bool operator==(const HistoryRow&, const HistoryRow&) = default;
};

/// What a report says of the messages with one Message-ID.
struct HistoryLabel {
  std::uint64_t message = 0;
  std::uint8_t label = 0;
};

/// The history on disk (SCHEMA.md, "The history"). What was written is there as a whole or not at
/// all, also after a crash; a crash of the machine may lose the last writes.
///
/// Errors:  those of OwnedFile and Database; kCorrupt for a file that is not a history; kInvalid
///          for one of a newer version. One process at a time can write it.
/// Threads: one thread at a time.
class HistoryTable {
 public:
  ~HistoryTable();
  HistoryTable(const HistoryTable&) = delete;
  HistoryTable& operator=(const HistoryTable&) = delete;
  HistoryTable(HistoryTable&&) = delete;
  HistoryTable& operator=(HistoryTable&&) = delete;

  /// Opens or makes the file.
  static Result<std::unique_ptr<HistoryTable>> open(const std::string& path);

  /// Rows of one Message-ID that a label reaches, the newest: senders choose the Message-ID.
  static constexpr std::size_t kLabelledMax = 1000;

  /// Adds rows, then labels the rows that there are, in one transaction. A row whose time is taken
  /// gets the next free microsecond. `again`: labels of an earlier call, for rows that are here
  /// only now; they come before the others. Returns how many rows the labels changed.
  Result<std::uint64_t> write(std::span<const HistoryRow> rows,
                              std::span<const HistoryLabel> labels,
                              std::span<const HistoryLabel> again = {});

  struct Bounds {
    std::int64_t oldest = 0;       ///< rows before this time are removed
    std::int64_t oldest_kept = 0;  ///< and what reports need of rows before this one
    std::uint64_t bytes_max = UINT64_MAX;
    std::size_t most = 1000;  ///< to remove in one call
  };
  struct Trimmed {
    std::uint64_t rows = 0;
    bool more = false;  ///< there is more to remove
  };
  /// Removes what is too old, the oldest first. As long as the file then has more than `bytes_max`
  /// bytes in use, also what reports need of rows that are a day older than the newest, and then
  /// any rows. One transaction.
  Result<Trimmed> trim(const Bounds& bounds);

  /// The time of the newest row; 0 without one.
  Result<std::int64_t> newest();
  /// Rows in the file.
  /// Cost: reads an index as a whole.
  Result<std::uint64_t> count();
  /// Bytes of the file that are in use.
  Result<std::uint64_t> bytes();

 private:
  struct Statements;
  HistoryTable(OwnedFile file, std::unique_ptr<Statements> statements);
  Status insert(const HistoryRow& row);
  /// What is not in `messages`. `time`: that of the row there.
  Status insert_more(const HistoryRow& row, std::int64_t time);
  /// Returns how many rows it changed.
  Result<std::uint64_t> label(std::span<const HistoryLabel> labels);
  /// Removes up to `most` of one sort of what is too much. Returns how many; 0: nothing is.
  Result<std::size_t> remove_slice(const Bounds& bounds, std::size_t most, Trimmed& out);

  OwnedFile file_;
  std::unique_ptr<Statements> statements_;  ///< end before the database
};

/// Reads the history, also while another process writes it, and a file that no daemon of this
/// version has opened yet.
///
/// Errors:  as HistoryTable; kNotFound without a file.
/// Threads: one thread at a time.
class HistoryReader {
 public:
  static Result<std::unique_ptr<HistoryReader>> open(const std::string& path);
  ~HistoryReader();
  HistoryReader(const HistoryReader&) = delete;
  HistoryReader& operator=(const HistoryReader&) = delete;
  HistoryReader(HistoryReader&&) = delete;
  HistoryReader& operator=(HistoryReader&&) = delete;

  /// A row as it is in the file; valid during the call that gives it.
  struct View {
    std::int64_t time = 0;
    BytesView queue_id;
    std::uint64_t sender = 0;
    std::uint8_t action = 0;
    std::uint8_t label = 0;
    BytesView details;
    // Only of read_newest_first() and find().
    BytesView sender_name;
    BytesView recipients;
    BytesView subject;
    bool is_kept = false;  ///< kept() has something
  };
  /// Gets rows until it returns false.
  using Take = std::function<bool(const View&)>;

  /// The rows from `since` to before `until`.
  struct Span {
    std::int64_t since = 0;
    std::int64_t until = INT64_MAX;
  };
  Status read(const Span& span, const Take& take);
  /// The same rows, the newest first.
  Status read_back(const Span& span, const Take& take);
  /// With the names, too.
  Status read_newest_first(const Span& span, const Take& take);

  struct Names {
    BytesView sender;
    BytesView recipients;
    BytesView subject;
  };
  /// The names of the rows that have some, the newest first, until `take` returns false. A tenth of
  /// the cost of read_newest_first().
  Status read_names(const Span& span,
                    const std::function<bool(std::int64_t time, const Names&)>& take);
  /// The times of the rows with a sender, not 0, the newest first, until `take` returns false.
  Status read_sender(const Span& span, std::uint64_t sender,
                     const std::function<bool(std::int64_t time)>& take);
  /// All messages that had this queue id, the newest first.
  Status find(std::string_view queue_id, const Take& take);

  /// What a report needs of the row with this time; empty if nothing is kept.
  Result<Bytes> kept(std::int64_t time);

  /// The times of the first and the last row; nullopt if there are none.
  struct Ends {
    std::int64_t first = 0;
    std::int64_t last = 0;
  };
  Result<std::optional<Ends>> ends();

 private:
  struct Statements;
  HistoryReader(std::unique_ptr<Database> database, std::unique_ptr<Statements> statements);

  std::unique_ptr<Database> database_;
  std::unique_ptr<Statements> statements_;  ///< end before the database
};

}  // namespace shingled::storage::sqlite
