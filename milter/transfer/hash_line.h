#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/base/result.h"
#include "storage/sqlite/hashes/fuzzy_table.h"

namespace shingled::milter::transfer {

// Hashes as JSON Lines: what `export` writes and `import` reads. storage/SCHEMA.md describes them.

inline constexpr std::uint64_t kHashLinesVersion = 1;

/// The first line, without its end: format, version and how many hashes follow, if that is known.
std::string hash_lines_header(std::optional<std::uint64_t> hashes);
/// Appends the line of one hash, with its end.
void append_hash_line(std::string& out, const storage::sqlite::FuzzyRow& row);

/// The content of one line.
struct HashLine {
  std::optional<storage::sqlite::FuzzyRow> row;  ///< a hash; its id is 0
  std::optional<std::uint64_t> announced;        ///< a header that tells how many hashes follow it
};

/// Reads one line. A hash without a time gets `now` (Unix seconds), and implausible times are
/// corrected (storage::with_plausible_times).
/// Errors: kInvalid with the reason and the place; kLimit for a header of a newer version.
Result<HashLine> parse_hash_line(std::string_view line, std::uint32_t now);

}  // namespace shingled::milter::transfer
