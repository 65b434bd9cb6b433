#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace shingled::storage::server {

/// Tells whether a sealed packet came before: a recorded one that is sent again and again is worth
/// no more replies than one in the clear.
///
/// The last kPlaces packets or so, in sets of eight; in its set the one that was not seen longest
/// goes first. What is forgotten passes for a new one, so who records more packets than that
/// repeats them unseen.
/// Threads: one thread.
/// Cost: a line of the cache; 256 KiB, taken with the first packet.
class RecentSeals {
 public:
  static constexpr std::size_t kSets = 4096;
  static constexpr std::size_t kWays = 8;
  static constexpr std::size_t kPlaces = kSets * kWays;

  /// `secret`: on which the places depend, or a stranger could choose packets that share one.
  explicit RecentSeals(std::uint64_t secret) : secret_(secret | 1) {}

  /// Notes a packet by its seal's name, which is not 0; whether it was there.
  bool note(std::uint64_t name) {
    if (sets_.empty()) sets_.resize(kSets);
    auto& names = sets_[(name * secret_) >> (64 - std::countr_zero(kSets))].names;
    std::size_t at = 0;
    while (at + 1 < kWays && names[at] != name) ++at;
    const bool known = names[at] == name;
    for (; at > 0; --at) names[at] = names[at - 1];
    names[0] = name;
    return known;
  }

 private:
  static_assert(std::has_single_bit(kSets));
  struct alignas(64) Set {
    std::array<std::uint64_t, kWays> names{};  // newest first; 0 = free
  };
  std::vector<Set> sets_;
  std::uint64_t secret_;
};

}  // namespace shingled::storage::server
