#pragma once

#include <CLI/App.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/options/flag_map.h"
#include "storage/sqlite/hashes/fuzzy_table.h"

namespace shingled::milter::cli {

/// Which stored hashes the user selects, as given.
struct RecordArguments {
  std::string flag;    ///< number or name
  std::string older;   ///< duration
  std::string newer;   ///< duration
  std::string digest;  ///< its beginning, hexadecimal
  std::int32_t value_least = 0;
  bool has_value_least = false;

  void add_to(CLI::App& command);
};

/// The parsed selection. A record must meet all conditions; flag and value must hold for the same
/// list.
/// Threads: a value.
class RecordFilter {
 public:
  /// Errors: kInvalid, naming the option.
  static Result<RecordFilter> make(const RecordArguments& arguments, const FlagMap& flags,
                                   WallTime now);
  [[nodiscard]] bool takes(const storage::sqlite::FuzzyRow& row) const;
  /// The value of a selected record: on the list that was asked for, else the largest.
  [[nodiscard]] std::int32_t value(const storage::sqlite::FuzzyRow& row) const;

 private:
  std::optional<std::uint32_t> flag_;
  std::optional<std::int32_t> value_least_;
  std::uint32_t updated_least_ = 0;
  std::uint32_t updated_most_ = UINT32_MAX;
  std::string digest_;
};

}  // namespace shingled::milter::cli
