#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/base/result.h"
#include "storage/model/work_watcher.h"

namespace shingled::storage::formats {

struct VerifyOptions {
  bool with_index = true;              ///< also build the index and look up each row in it
  std::uint32_t slot_owners_max = 16;  ///< of that index
  std::uint32_t now = 0;               ///< Unix seconds; times far after it are not plausible
};

struct VerifyReport {
  static constexpr std::size_t kProblemsMax = 1000;  ///< more problems are only counted

  std::uint64_t rows = 0;
  std::uint64_t with_shingles = 0;
  std::uint64_t lists = 0;    ///< number of flags of all rows
  std::uint64_t crowded = 0;  ///< rows that share slots with more rows than the index keeps
  std::uint64_t problem_count = 0;
  std::vector<std::string> problems;  ///< one line each: where, and what
  /// Odd, but not damage: times of a wrong clock. At most kProblemsMax are listed.
  std::uint64_t warning_count = 0;
  std::vector<std::string> warnings;
};

/// Reads a whole database file and reports everything that is not as SCHEMA.md says. It checks:
/// - the pages, by SQLite;
/// - each row and list: types, ranges, lengths, order, orphans, duplicate digests (odd times are
///   warnings);
/// - the tables of replication: each digest is the sum of its parts;
/// - whether an index built from the file finds each row by its digest and by its shingles.
///
/// Does not change the file. A daemon may write to it meanwhile: the check sees the file as it was
/// when the check began.
/// Errors: those of FuzzyTable::open_read_only, and `stopped()`. Damage is not an error, but a
/// problem in the report.
/// Cost: up to 43 bytes of memory per row; with the index about as much memory as the daemon.
Result<VerifyReport> verify_file(const std::string& path, const VerifyOptions& options,
                                 const Watcher& watcher);

}  // namespace shingled::storage::formats
