#pragma once

#include <cstdint>
#include <span>

#include "config/base/clock.h"
#include "storage/counters/counter.h"
#include "storage/people/people_store.h"

namespace shingled::storage::people {

/// What people said of a sign in a window. The last word of a person in the window counts.
struct PeopleSums {
  std::uint64_t complainers = 0;    ///< who say spam, as how many people they count
  std::uint64_t rescuers = 0;       ///< who say that it is wanted
  std::uint64_t own_complaint = 0;  ///< recipients of the message who say spam
  std::uint64_t own_rescue = 0;     ///< recipients who say that it is wanted
  std::uint64_t complaints = 0;     ///< statements that say spam, each
  std::uint64_t rescues = 0;
  friend bool operator==(const PeopleSums&, const PeopleSums&) = default;
};

/// As how many people somebody counts.
struct Weights {
  std::uint32_t trusted = 2;    ///< each trusted one
  bool newcomers_speak = true;  ///< newcomers alone are together one person, else nobody

  friend bool operator==(const Weights&, const Weights&) = default;
};

/// Sums the voices of a sign: sums[i] is that of windows[i]. A resident counts as one. Newcomers
/// are together one person, where nobody of standing says anything and no more of them say the
/// opposite; else they are nobody. A message has hundreds of signs, and rules add up what is said
/// of several: whoever makes up names must not reach the second person that most rules ask for.
/// `recipients`: the persons to whom the message goes, sorted. A pure function.
/// Cost: the voices are sorted once, then each window reads them.
void sum_voices(std::span<const Voice> voices, std::span<const counters::Window> windows,
                WallTime now, std::span<const std::uint64_t> recipients, const Weights& weights,
                std::span<PeopleSums> sums);

}  // namespace shingled::storage::people
