#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "storage/counters/counter.h"

namespace shingled::milter::features {

/// What is known of one piece in one window: what was counted, and what people said.
/// Threads: a value.
struct Sums {
  storage::counters::Amounts counted = {};
  std::array<std::uint64_t, storage::counters::kSaidMeasures> said = {};
  std::uint64_t recipients = 0;  ///< of the message: whom `own_complaint` is compared with

  [[nodiscard]] std::uint64_t of(storage::counters::Measure measure) const {
    if (!is_said(measure)) return counted.of(measure);
    return said[static_cast<std::size_t>(measure) - storage::counters::kMeasures];
  }
  std::uint64_t& of(storage::counters::Measure measure) {
    if (!is_said(measure)) return counted.of(measure);
    return said[static_cast<std::size_t>(measure) - storage::counters::kMeasures];
  }
  /// Whether there was nothing.
  [[nodiscard]] bool is_zero() const { return counted.is_zero() && said == decltype(said){}; }
  friend bool operator==(const Sums&, const Sums&) = default;
};

}  // namespace shingled::milter::features
