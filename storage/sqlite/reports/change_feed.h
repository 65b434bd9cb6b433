#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/base/result.h"
#include "mime/fingerprint/fingerprint.h"
#include "storage/sqlite/base/database.h"

namespace shingled::storage::sqlite {

/// Something that reports changed, for daemons that keep none themselves.
struct ReportChange {
  enum class What : std::uint8_t {
    kLabel = 0,      ///< `value`: 0 = wanted, 1 = spam, 2 = neither; `message` is its name
    kClosed = 1,     ///< a case, named by one of its hashes: `digest`, and of which list: `value`
    kReopened = 2,   ///< the same
    kWithdrawn = 3,  ///< a hash that reports taught and teach no more; `value`: its list
  };
  What what = What::kLabel;
  std::uint64_t message = 0;
  Digest digest{};
  std::uint32_t value = 0;
  friend bool operator==(const ReportChange&, const ReportChange&) = default;
};

/// A part of the feed, the oldest change first.
struct ChangePage {
  std::vector<ReportChange> changes;
  std::string next;      ///< the cursor after them; "" = before the first one of all
  bool is_anew = false;  ///< the cursor is of another file, or older than what is kept
  bool has_more = false;
};

/// What reports changed, in the order in which it happened, within the file of the reports. The
/// newest kKept are there.
///
/// A cursor is the number of a change and a random mark of its row. So a file that was made anew,
/// or is an older copy, is noticed: then the feed begins with the oldest change that it has. Each
/// change says how something is now, so to read one twice does no harm.
///
/// Errors:  those of Database; kCorrupt: a row that cannot be. A change belongs to the transaction
///          of the caller, if there is one.
/// Lifetime: not longer than the Database.
/// Threads: one thread.
class ChangeFeed {
 public:
  static constexpr std::int64_t kKept = 100'000;
  static constexpr std::size_t kPageMost = 1000;
  /// Its table, for a script.
  static const char* const kTables;

  static Result<ChangeFeed> open(Database& database);

  /// Adds a change, unless the last one of the same thing says the same.
  Status add(const ReportChange& change);
  /// What came after `cursor` ("" = from the beginning), at most `most`.
  /// Errors: also kInvalid: not a cursor.
  Result<ChangePage> after(std::string_view cursor, std::size_t most);

 private:
  struct Statements {
    Statement last_of;
    Statement add;
    Statement trim;
    Statement mark_of;
    Statement after;
  };
  ChangeFeed(Database& database, Statements statements)
      : database_(&database), statements_(std::move(statements)) {}

  Result<std::optional<std::int64_t>> mark_of(std::int64_t number);

  Database* database_;
  Statements statements_;
};

}  // namespace shingled::storage::sqlite
