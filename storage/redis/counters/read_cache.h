#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "storage/counters/counter.h"
#include "storage/redis/counters/generation.h"

namespace shingled::storage::redis {

/// What Redis said of a counter.
struct ReadCounter {
  std::uint64_t applied = 0;   ///< the calls of this daemon that it had
  std::uint64_t finished = 0;  ///< WaitingCounters::finished before it was asked
  std::vector<counters::Entry> entries;
};

/// Counters that were read a moment ago.
/// Bound: about `most` counters; if there are more, the older half is dropped.
/// Threads: any thread.
class ReadCache {
 public:
  ReadCache(Duration keep, std::size_t most) : keep_(keep), half_(most / 2) {}

  [[nodiscard]] std::optional<ReadCounter> find(const counters::CounterKey& key, TimePoint now);
  /// A number to be read before Redis is asked.
  [[nodiscard]] std::uint64_t forgotten() { return tables_.lock()->forgotten; }
  /// Keeps what was read. A pair or a unique only if nothing was forgotten meanwhile: it may be
  /// older than that.
  void put(const counters::CounterKey& key, const ReadCounter& read, TimePoint now,
           std::uint64_t forgotten);
  void forget(std::span<const counters::CounterKey> keys);

 private:
  struct Kept {
    TimePoint end;
    ReadCounter read;
  };
  using Table = std::unordered_map<counters::CounterKey, Kept, CounterKeyHash>;
  struct Tables {
    Table young;  ///< when it is full, it replaces `old`
    Table old;
    std::uint64_t forgotten = 0;
    std::uint64_t all_forgotten = 0;  ///< the last `forget` of counters that are not pairs
  };

  const Duration keep_;
  const std::size_t half_;
  Guarded<Tables> tables_;
};

}  // namespace shingled::storage::redis
