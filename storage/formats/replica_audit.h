#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "storage/formats/verify.h"
#include "storage/sqlite/base/database.h"
#include "storage/sqlite/hashes/part_table.h"

namespace shingled::storage::formats {

/// Checks the tables of replication: each by itself, against each other, and against `digests`
/// (SCHEMA.md, "What holds between them"). Adds problems and warnings to the report.
///
/// Cost: one pass over each table, and one look-up in `digests` for each row of `parts`.
/// Threads: one thread.
class ReplicaAudit {
 public:
  ReplicaAudit(sqlite::Database& database, const VerifyOptions& options, VerifyReport& report)
      : database_(database), options_(options), report_(report) {}

  /// Does nothing for a file of an older version, which does not have these tables.
  /// Errors: `stopped()`, and those of Database if it cannot read the file.
  Status run(const Watcher& watcher);

 private:
  /// A row of `digests` that has parts.
  struct Whole {
    std::int64_t id = 0;
    Part part;
    bool readable = false;
  };

  Status judge_parts(const Watcher& watcher);
  Status begin_row(sqlite::Statement& lists, const sqlite::Statement& row, Whole& whole);
  void judge_part(const sqlite::Statement& row, const Whole& whole,
                  std::vector<sqlite::StoredPart>& parts);
  void judge_whole(const Whole& whole, const std::vector<sqlite::StoredPart>& parts);
  /// Each row that `query` returns is a problem: the first column says where, the second one what.
  Status note_rows(const char* query);
  void judge_times(const std::string& where, const sqlite::Statement& row);
  void problem(const std::string& where, std::string_view what);

  sqlite::Database& database_;
  const VerifyOptions& options_;
  VerifyReport& report_;
};

}  // namespace shingled::storage::formats
