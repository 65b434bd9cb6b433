#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "config/metrics/counter_table.h"

namespace shingled::storage::redis {

/// The counters of the writer. A new counter is a field and its line in `table`.
template <typename Number>
struct RedisWriterCountersOf {
  Number added{};      ///< additions made
  Number deleted{};    ///< deletions made
  Number refused{};    ///< updates answered with an error
  Number journaled{};  ///< those of added and deleted that were acknowledged by the journal
  Number dropped{};    ///< those of journaled that the database refused later
  Number waiting{};    ///< updates in the journal now
  Number refreshed{};  ///< records whose life was prolonged because they were found

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
         {"shingled_redis_refreshed", "Hashes whose life was prolonged because they were found."}},
    });
  }
};
static_assert(kHasWholeTable<RedisWriterCountersOf<std::uint64_t>>);

/// The counters while the writer runs.
/// Threads: any thread may read.
struct RedisWriterCounters : RedisWriterCountersOf<std::atomic<std::uint64_t>> {
  std::atomic<std::uint64_t> refreshes_dropped{0};  ///< too many at once, or Redis was away
  std::atomic<std::uint64_t> count{0};              ///< adds minus deletes when last read
};

/// The counters of the store since it was opened.
struct RedisCounters : RedisWriterCountersOf<std::uint64_t> {
  bool connected = false;         ///< whether a server can be asked
  std::uint64_t misses_away = 0;  ///< questions without an answer because no server was there
};

}  // namespace shingled::storage::redis
