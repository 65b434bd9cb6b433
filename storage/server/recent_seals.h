#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mime/fingerprint/secret_hash.h"

// Sealed packets that came before, by the name of their seal: a number that is not 0.
namespace shingled::storage::server {

/// Tells whether a sealed packet came before. A recorded packet that is sent again and again must
/// not cause more replies than a packet in the clear.
///
/// Keeps about the last kPlaces packets, in sets of eight. A full set forgets the packet that was
/// seen longest ago. A forgotten packet counts as new, so an attacker with more recorded packets
/// than that can repeat them without being noticed.
/// Threads: one thread.
/// Cost: one cache line per call; 256 KiB, allocated with the first packet.
class RecentSeals {
 public:
  static constexpr std::size_t kSets = 4096;
  static constexpr std::size_t kWays = 8;
  static constexpr std::size_t kPlaces = kSets * kWays;

  /// `secret`: decides about the set of a packet. Without a secret, a stranger could choose packets
  /// that share one set.
  explicit RecentSeals(std::uint64_t secret) : secret_(secret | 1) {}

  /// Adds a packet by the name of its seal, and returns whether it was known before.
  bool test_and_add(std::uint64_t name) {
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

/// A set of names of seals that forgets nothing: a hash table with a power of two of places. A
/// value.
/// Threads: one thread.
/// Cost: 8 bytes per place; at most three quarters of the places are used. The table doubles when it
/// is full; for half a million names this takes some milliseconds.
class SealSet {
 public:
  using value_type = std::uint64_t;

  [[nodiscard]] bool contains(std::uint64_t name) const {
    return !places_.empty() && places_[place_of(name)] == name;
  }
  void insert(std::uint64_t name) {
    if (4 * (size_ + 1) > 3 * places_.size()) grow();
    std::uint64_t& place = places_[place_of(name)];
    if (place == name) return;
    place = name;
    ++size_;
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kPlacesMin = 64;

  /// The place of `name`, or the free place that an insert would use.
  [[nodiscard]] std::size_t place_of(std::uint64_t name) const {
    std::size_t at = SecretHash::of_process()(name) & (places_.size() - 1);
    while (places_[at] != 0 && places_[at] != name) at = (at + 1) & (places_.size() - 1);
    return at;
  }
  void grow() {
    std::vector<std::uint64_t> before(places_.empty() ? kPlacesMin : 2 * places_.size());
    before.swap(places_);
    for (const std::uint64_t name : before) {
      if (name != 0) places_[place_of(name)] = name;
    }
  }

  std::vector<std::uint64_t> places_;  // 0 = free
  std::size_t size_ = 0;
};

}  // namespace shingled::storage::server
