#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "config/metrics/counter_table.h"

namespace shingled::storage::redis_store {

/// What the writer has done. A new counter is a field and its line in `table`.
template <typename Number>
struct RedisWriterCountersOf {
  Number added{};  ///< updates made
  Number deleted{};
  Number refused{};    ///< updates answered with an error
  Number journaled{};  ///< of added and deleted: acknowledged because they were in the journal
  Number dropped{};    ///< of those, refused by the database later
  Number waiting{};    ///< in the journal now
  Number refreshed{};  ///< records that live on because they were found

  static constexpr auto table() {
    using Counters = RedisWriterCountersOf;
    return std::to_array<CounterLine<Counters, Number>>({
        {&Counters::added, {"shingled_storage_added", "Additions committed."}},
        {&Counters::deleted, {"shingled_storage_deleted", "Deletions committed."}},
        {&Counters::refused, {"shingled_storage_refused", "Updates answered with an error."}},
        {&Counters::journaled,
         {"shingled_redis_journaled", "Updates acknowledged by the journal on disk."}},
        {&Counters::dropped,
         {"shingled_redis_dropped", "Updates of the journal that Redis refused."}},
        {&Counters::waiting,
         {"shingled_redis_waiting", "Updates in the journal."},
         {},
         {},
         MetricFamily::Kind::kGauge},
        {&Counters::refreshed,
         {"shingled_redis_refreshed", "Hashes that live on because they were found."}},
    });
  }
};
static_assert(kHasWholeTable<RedisWriterCountersOf<std::uint64_t>>);

/// Those that run.
/// Threads: any thread may read.
struct RedisWriterCounters : RedisWriterCountersOf<std::atomic<std::uint64_t>> {
  std::atomic<std::uint64_t> refreshes_dropped{0};  ///< too many at once
  std::atomic<std::uint64_t> count{0};              ///< adds minus deletes, as last read
};

/// What the store has done since it was opened.
struct RedisCounters : RedisWriterCountersOf<std::uint64_t> {
  bool connected = false;         ///< a server is there to be asked
  std::uint64_t misses_away = 0;  ///< questions not answered because none was
};

}  // namespace shingled::storage::redis_store
