#pragma once

#include <bitset>
#include <cstddef>
#include <vector>

#include "mime/fingerprint/piece_type.h"
#include "storage/counters/series.h"

namespace shingled::milter::counters {

/// What those who judge a message want to know of the counters. A value.
struct CounterNeeds {
  static constexpr std::size_t kTypes = 128;

  std::bitset<kTypes> types;  ///< by number; pair types and unique types apart
  std::vector<storage::counters::Window> windows;

  [[nodiscard]] bool has(PieceType type) const {
    return types.test(static_cast<std::size_t>(type));
  }
  void add(PieceType type) { types.set(static_cast<std::size_t>(type)); }
  /// Then nothing is asked.
  [[nodiscard]] bool nothing() const { return types.none() || windows.empty(); }
  friend bool operator==(const CounterNeeds&, const CounterNeeds&) = default;
};

}  // namespace shingled::milter::counters
