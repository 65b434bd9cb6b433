#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "storage/model/fuzzy_store.h"

namespace shingled::storage {

/// The lists one digest stands on: at most kFlagsMax, each flag once, largest value first (among
/// equals the smaller flag). A value.
class FlagSet {
 public:
  /// Adds `value` to the flag, saturating at the ends of i32. A ninth flag takes the place of the
  /// smallest value if it is larger, unless the add is `weak`; else it is dropped
  /// (PROTOCOL.md 5.6).
  void add(FlagValue what, bool weak = false);
  /// Takes the digest off one list; nothing happens when it is not there.
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
