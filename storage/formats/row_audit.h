#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "storage/formats/digest_rows.h"
#include "storage/formats/verify.h"
#include "storage/sqlite/base/database.h"

namespace shingled::storage::formats {

/// Checks each row of `digests`, `extra_flags`, `recent_updates` and `sealed_updates`, and adds
/// problems and warnings to the report. ReplicaAudit checks the other tables.
/// Threads: one thread.
class RowAudit {
 public:
  RowAudit(sqlite::Database& database, const VerifyOptions& options, VerifyReport& report)
      : database_(database), options_(options), report_(report) {}

  /// Errors: `stopped()`, and those of Database if it cannot read the file.
  Status run(const Watcher& watcher);

 private:
  /// The first list of a row, which is stored in `digests` itself.
  struct FirstList {
    std::int64_t id = 0;
    std::int64_t flag = 0;
    std::int64_t value = 0;
  };

  void judge_row(const sqlite::Statement& row);
  void judge_times(const std::string& where, const sqlite::Statement& row);
  void judge_digest(const std::string& where, const sqlite::Statement& row);
  bool has_digest(std::int64_t row, const Digest& digest);
  Status judge_lists(sqlite::Statement& lists, const FirstList& first);
  void judge_list(const std::string& where, const sqlite::Statement& list, const FirstList& first);
  Status judge_names();
  Status judge_names(const std::string& table, std::size_t name_bytes);
  void problem(const std::string& where, std::string_view what);
  void warning(const std::string& where, std::string_view what);

  sqlite::Database& database_;
  const VerifyOptions& options_;
  VerifyReport& report_;
  DigestRows digests_;
  bool more_lists_ = false;  ///< the statement of lists has a row
};

/// Adds one problem to the report, or only counts it if there are too many.
void note_problem(VerifyReport& report, std::string what);
/// The same for a warning: odd, but not damage.
void note_warning(VerifyReport& report, std::string what);

}  // namespace shingled::storage::formats
