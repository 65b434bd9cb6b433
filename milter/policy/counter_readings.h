#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "milter/features/counter_needs.h"
#include "milter/features/sums.h"
#include "mime/fingerprint/piece_type.h"
#include "storage/counters/counter.h"

namespace shingled::milter::policy {

using features::Sums;
using storage::counters::Window;

using features::CounterNeed;
using features::CounterNeeds;

/// What the counters say of one piece.
struct PieceReading {
  std::string piece;         ///< as people read it, for explanations; may be empty
  std::vector<Sums> sums;    ///< of each window of the need; empty = unknown
  std::vector<bool> lost{};  ///< windows whose counts are unknown; empty = none
  bool said_known = false;   ///< the sums have what people said
  friend bool operator==(const PieceReading&, const PieceReading&) = default;
};

/// What the counters say of a message. Without a piece of a type its counters are unknown. If a
/// piece was left out, because there are too many, its reading is unknown.
/// Threads: a value.
class CounterReadings {
 public:
  /// No pieces yet. `needs`: how many there are.
  explicit CounterReadings(std::size_t needs) : pieces_(needs) {}

  /// `need`: its place in the needs.
  void add(std::size_t need, PieceReading reading) { pieces_[need].push_back(std::move(reading)); }
  [[nodiscard]] const std::vector<PieceReading>& of(std::size_t need) const {
    return pieces_[need];
  }

 private:
  std::vector<std::vector<PieceReading>> pieces_;
};

}  // namespace shingled::milter::policy
