#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/base/result.h"
#include "storage/sqlite/base/owned_file.h"
#include "storage/sqlite/reports/report_table.h"

namespace shingled::storage::sqlite {

/// How much the word of a person counts for others. The numbers are stored.
enum class Standing : std::uint8_t {
  kNewcomer = 0,  ///< nobody knows whether there is such a person
  kResident = 1,  ///< a mailbox that really gets mail here
  kTrusted = 2,   ///< named in the settings
};

/// What one person says of one message.
struct PeopleRow {
  std::uint64_t person = 0;   ///< the id of a mailbox (milter/reports/mailbox_names.h)
  std::uint64_t message = 0;  ///< its id (milter/reports/reported_message.h)
  ReportKind kind = ReportKind::kSpam;
  Standing standing = Standing::kNewcomer;
  std::uint32_t time = 0;            ///< Unix seconds
  std::vector<std::uint64_t> signs;  ///< of the message, each once
  friend bool operator==(const PeopleRow&, const PeopleRow&) = default;
};

struct PeopleStatements;  // people_table.cpp

/// The file of what people say (SCHEMA.md). A write that succeeded survives a power failure.
///
/// Errors:  those of OwnedFile and Database; kCorrupt for another file, another site and a row that
///          cannot be; kInvalid for a file of a newer version. After an error nothing has changed.
///          One process at a time can have it open.
/// Threads: one thread at a time.
class PeopleTable {
 public:
  ~PeopleTable();
  PeopleTable(const PeopleTable&) = delete;
  PeopleTable& operator=(const PeopleTable&) = delete;
  PeopleTable(PeopleTable&&) = delete;
  PeopleTable& operator=(PeopleTable&&) = delete;

  /// Opens or makes the file. `site`: see ReportTable::open.
  static Result<std::unique_ptr<PeopleTable>> open(const std::string& path, std::uint64_t site);

  /// Keeps a row; the one of the same person and message is gone.
  Status put(const PeopleRow& row);
  Status remove(std::uint64_t message, std::uint64_t person);
  /// Removes what was said before `time`; returns how many rows.
  Result<std::uint64_t> forget_before(std::int64_t time);

  struct Count {
    std::uint64_t statements = 0;
    std::uint64_t signs = 0;
  };
  Result<Count> count();
  /// The time of the newest row; 0 without one.
  Result<std::int64_t> newest();
  /// Gets all rows but the `skipped` oldest ones, the oldest first.
  Status each(std::int64_t skipped, const std::function<void(const PeopleRow&)>& take);

 private:
  PeopleTable(OwnedFile file, std::unique_ptr<PeopleStatements> statements);

  OwnedFile file_;
  std::unique_ptr<PeopleStatements> statements_;  ///< end before the database
};

}  // namespace shingled::storage::sqlite
