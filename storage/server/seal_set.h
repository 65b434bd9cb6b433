#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mime/fingerprint/secret_hash.h"

namespace shingled::storage::server {

/// Names of seals: numbers that are not 0, in a table of a power of two places.
///
/// A value.
/// Threads: one thread.
/// Cost: 8 bytes a place, at most three quarters of which are taken; the table doubles, for half a
/// million names in some milliseconds.
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

  /// Where it stands, or the free place where it would.
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
