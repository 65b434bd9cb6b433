#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "config/base/leaky_bucket.h"

namespace shingled::storage::access {

/// How often a source may come, and how long it stays away when it came more often.
struct LimitLaw {
  LeakRate rate{1, 1};
  Duration ban{};  ///< 0 = refused only until enough has leaked
};

/// The buckets of all sources, for all workers: one table, so that the law holds for the sources of
/// a network together, whichever worker the kernel hands them to.
///
/// While a source is in the table, at most burst + rate * t of its requests pass within any time t.
/// Over it: refused, or banned for `ban`, which nothing eases; after the ban its bucket holds 0.9
/// of the burst, or less if that left no room for one. The table has a fixed number of places,
/// eight for each part of the hash. Who finds none takes the place of the one that will be empty
/// first, bans counted in, so a flood of forged sources with a packet each pushes out its like and
/// not those who came often.
///
/// Threads: any thread. No lock: each word is atomic. Two workers that meet a new source in the
/// same instant may both begin a bucket for it; then one of the two requests is not counted.
/// Cost: two or three lines of the cache; no allocation after the construction.
class LimitTable {
 public:
  /// Room for `buckets` at least, and twice that at most.
  explicit LimitTable(std::size_t buckets);

  enum class Decision : std::uint8_t {
    kPass,
    kRefused,
    kNowBanned,  ///< refused, and the ban begins
  };
  /// Counts one request of the source, whose name is a number evenly spread and not 0.
  Decision add(std::uint64_t source, const LimitLaw& law, TimePoint now);
  /// One that passed was not meant.
  void take_back(std::uint64_t source, const LimitLaw& law, TimePoint now);

  [[nodiscard]] std::size_t places() const { return sets_.size() * kWays; }
  /// Sources whose buckets were not empty when another one took their place.
  [[nodiscard]] std::uint64_t evictions() const { return evictions_.load(); }

  /// One source that is not forgotten yet.
  struct Entry {
    std::uint64_t source = 0;
    Duration empty_in{};  ///< until its bucket is empty
    Duration ban{};       ///< until it may come again; 0 = not banned
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  [[nodiscard]] std::vector<Entry> entries(TimePoint now) const;
  /// Puts back what `entries` gave; needs to be alone.
  void restore(std::span<const Entry> entries, TimePoint now);

 private:
  static constexpr std::size_t kWays = 8;
  using Instant = TimePoint::rep;
  struct alignas(64) Set {
    std::array<std::atomic<std::uint64_t>, kWays> sources{};  // 0 = nobody
    std::array<std::atomic<LeakyBucket>, kWays> buckets{};
    std::array<std::atomic<Instant>, kWays> banned_until{};
  };
  static_assert(sizeof(Set) == 3UL * 64, "a line for the names, one for the buckets, one for bans");
  static_assert(std::atomic<LeakyBucket>::is_always_lock_free);

  struct Place {
    std::atomic<LeakyBucket>& bucket;
    std::atomic<Instant>& banned_until;
  };
  Place find_or_take(std::uint64_t source, TimePoint now);
  static std::size_t least(const Set& set);

  std::vector<Set> sets_;  // a power of two of them
  std::atomic<std::uint64_t> evictions_{0};
};

}  // namespace shingled::storage::access
