#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mime/fingerprint/piece_type.h"
#include "storage/counters/counter.h"

namespace shingled::milter::features {

using storage::counters::Window;

/// The windows that have to be asked for of all pieces of a type. The pieces of a unique type are
/// the first pieces of its pairs, each once.
struct CounterNeed {
  PieceType type{};
  std::vector<Window> windows;  ///< in long ones nothing but what people said is known
  bool said = false;            ///< what people said is wanted, too
  friend bool operator==(const CounterNeed&, const CounterNeed&) = default;
};

/// What somebody who judges a message wants to know of the counters, by type; each type and each
/// of its windows once. Empty: nothing is asked.
using CounterNeeds = std::vector<CounterNeed>;

/// nullptr if nobody needs the type.
const CounterNeed* find_need(const CounterNeeds& needs, PieceType type);

/// Of each window its place among `others`; their number for one that is not there. Pure.
std::vector<std::size_t> places_of(std::span<const Window> windows, std::span<const Window> others);

/// What both need. Pure.
CounterNeeds union_of(const CounterNeeds& a, const CounterNeeds& b);

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
