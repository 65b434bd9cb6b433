#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "config/base/leaky_bucket.h"

namespace shingled::storage::access {

/// How often a source may send requests, and how long it is banned when it sends more.
struct LimitLaw {
  LeakRate rate{1, 1};
  Duration ban{};  ///< 0 = no ban: requests are refused until the bucket has leaked
};

/// The buckets of all sources. All workers share one table, so a limit holds for a source no matter
/// which workers get its packets.
///
/// While a source is in the table, at most burst + rate * t of its requests pass within any time t.
/// Further requests are refused, or the source is banned for `ban`; nothing shortens a ban. After
/// the ban its bucket is filled to 0.9 of the burst, or less if that left no room for one request.
///
/// The table has a fixed number of places, eight in each set. A new source that finds no free
/// place replaces the source whose bucket (or ban) ends first. So a flood of forged sources with
/// one packet each replaces its own entries, not the sources that send many requests.
///
/// Threads: any thread. There is no lock: each word is atomic. If two workers see a new source at
/// the same instant, both may begin a bucket for it; then one of the two requests is not counted.
/// Cost: two or three cache lines; no allocation after the construction.
class LimitTable {
 public:
  /// Makes a table with at least `buckets` places, and at most about twice that number.
  explicit LimitTable(std::size_t buckets);

  enum class Decision : std::uint8_t {
    kPass,
    kRefused,
    kNowBanned,  ///< refused, and a ban begins
  };
  /// Counts one request of the source. Names of sources are evenly spread numbers, never 0.
  Decision add(std::uint64_t source, const LimitLaw& law, TimePoint now);
  /// Undoes an `add` that returned kPass.
  void take_back(std::uint64_t source, const LimitLaw& law, TimePoint now);

  [[nodiscard]] std::size_t places() const { return sets_.size() * kWays; }
  /// How many sources were replaced while their bucket was not empty.
  [[nodiscard]] std::uint64_t evictions() const { return evictions_.load(); }

  /// A source in the table with a bucket that is not empty.
  struct Entry {
    std::uint64_t source = 0;
    Duration empty_in{};  ///< until its bucket is empty
    Duration ban{};       ///< until it may come again; 0 = not banned
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  [[nodiscard]] std::vector<Entry> entries(TimePoint now) const;
  /// Puts entries from `entries()` back. No other thread may use the table meanwhile.
  void restore(std::span<const Entry> entries, TimePoint now);

 private:
  static constexpr std::size_t kWays = 8;
  using Instant = TimePoint::rep;
  struct alignas(64) Set {
    std::array<std::atomic<std::uint64_t>, kWays> sources{};  // 0 = free
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

  std::vector<Set> sets_;  // their number is a power of two
  std::atomic<std::uint64_t> evictions_{0};
};

}  // namespace shingled::storage::access
