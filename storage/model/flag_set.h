#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "storage/model/fuzzy_store.h"

namespace shingled::storage {

/// The lists that contain one digest: at most kFlagsMax, each flag once, sorted by value, largest
/// first (for equal values, smaller flag first). A value type.
class FlagSet {
 public:
  /// Adds the value to the flag; the sum saturates at the ends of i32. A ninth flag replaces the
  /// flag with the smallest value if its own value is larger and the add is not `weak`; otherwise
  /// it is dropped (PROTOCOL.md 5.6).
  void add(FlagValue what, bool weak = false);
  /// Removes the digest from one list. Does nothing if the digest is not on that list.
  void remove(std::uint32_t flag);
  void clear() { count_ = 0; }

  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::span<const FlagValue> all() const { return {flags_.data(), count_}; }
  [[nodiscard]] const FlagValue& front() const { return flags_.front(); }
  friend bool operator==(const FlagSet& a, const FlagSet& b);

 private:
  void sort();
  std::array<FlagValue, kFlagsMax> flags_{};
  std::uint32_t count_ = 0;
};

}  // namespace shingled::storage
