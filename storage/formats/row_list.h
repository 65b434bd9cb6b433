#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"
#include "storage/sqlite/hashes/fuzzy_table.h"

namespace shingled::storage::formats {

/// Which rows of the file of hashes are wanted. A row must meet all conditions; list and value must
/// hold for the same list.
/// Threads: a value.
struct RowChoice {
  std::optional<std::uint32_t> flag = {};
  std::optional<std::int32_t> value_least = {};
  std::uint32_t updated_least = 0;  ///< Unix seconds
  std::uint32_t updated_most = UINT32_MAX;
  std::string digest = {};  ///< its beginning: hexadecimal digits in lower case

  [[nodiscard]] bool takes(const sqlite::FuzzyRow& row) const;
  /// The value of a row that is wanted: on the list that was asked for, else the largest.
  [[nodiscard]] std::int32_t value(const sqlite::FuzzyRow& row) const;
};

enum class RowOrder : std::uint8_t { kFile, kValue, kNewest, kOldest, kHits };

/// nullopt: not one of "file", "value", "newest", "oldest", "hits".
std::optional<RowOrder> parse_row_order(std::string_view text);

/// A row without its shingles, which are most of its size.
struct ListedRow {
  sqlite::FuzzyRow row;
  bool has_shingles = false;
  std::int32_t value = 0;  ///< of the order by value
  std::uint64_t hits = 0;  ///< of the order by hits
};

/// Whether a row is listed before another one.
struct RowBefore {
  RowOrder order;
  bool operator()(const ListedRow& a, const ListedRow& b) const;
};

/// How often hashes were an answer.
using HitTable = std::map<Digest, std::uint64_t>;

/// The row as it is listed; nullopt: it is not wanted. With the order by hits only rows of the
/// table are.
std::optional<ListedRow> listed(const sqlite::FuzzyRow& row, const RowChoice& choice,
                                RowOrder order, const HitTable& hits);

}  // namespace shingled::storage::formats
