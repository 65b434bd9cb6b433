#pragma once

#include <cstdint>
#include <string>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/options/flag_map.h"
#include "storage/formats/row_list.h"
#include "storage/sqlite/hashes/fuzzy_table.h"

namespace shingled::milter::transfer {

/// Which stored hashes the user selects, as given.
struct RecordArguments {
  std::string flag;    ///< number or name
  std::string older;   ///< duration
  std::string newer;   ///< duration
  std::string digest;  ///< its beginning, hexadecimal
  std::int32_t value_least = 0;
  bool has_value_least = false;
};

/// The parsed selection. A record must meet all conditions; flag and value must hold for the same
/// list.
/// Threads: a value.
class RecordFilter {
 public:
  /// Errors: kInvalid, naming the option.
  static Result<RecordFilter> make(const RecordArguments& arguments, const FlagMap& flags,
                                   WallTime now);
  [[nodiscard]] bool takes(const storage::sqlite::FuzzyRow& row) const {
    return choice_.takes(row);
  }
  [[nodiscard]] const storage::formats::RowChoice& choice() const { return choice_; }

 private:
  storage::formats::RowChoice choice_;
};

}  // namespace shingled::milter::transfer
