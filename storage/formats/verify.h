#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/base/result.h"
#include "storage/model/work_watcher.h"

namespace shingled::storage::formats {

struct VerifyOptions {
  bool with_index = true;              ///< also build the index and ask it about every row
  std::uint32_t slot_owners_max = 16;  ///< of that index
  std::uint32_t now = 0;               ///< Unix seconds: later times are not plausible
};

struct VerifyReport {
  static constexpr std::size_t kProblemsMax = 1000;  ///< listed; the others are counted only

  std::uint64_t rows = 0;
  std::uint64_t with_shingles = 0;
  std::uint64_t lists = 0;    ///< flags of all rows
  std::uint64_t crowded = 0;  ///< rows that share slots with more than the index keeps
  std::uint64_t problem_count = 0;
  std::vector<std::string> problems;  ///< one line each: where, what
  /// Odd, but no damage: times of a clock that was wrong. As with problems.
  std::uint64_t warning_count = 0;
  std::vector<std::string> warnings;
};

/// Reads a whole database file and tells what is not as SCHEMA.md says: SQLite's own pages, every
/// row and list (types, ranges, lengths, order, orphans, digests that stand there twice; odd times
/// are warnings),
/// what is there for replication (each digest is what its parts make together), and whether an
/// index built from it finds every row by its digest and by its shingles. Changes nothing; a daemon
/// may go on writing (it is the moment of the beginning that is judged).
///
/// Errors, where there is nothing to judge: those of FuzzyTable::open_read_only, stopped. Damage is
/// not an error but a problem of the report.
/// Cost: up to 43 bytes of memory a row, with the index about as much as the daemon needs.
Result<VerifyReport> verify_file(const std::string& path, const VerifyOptions& options,
                                 const Watcher& watcher);

}  // namespace shingled::storage::formats
