#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "config/metrics/counter_table.h"
#include "config/metrics/instruments.h"

namespace shingled::storage::engine {

/// What the writer has done. A new counter is a field and its line in `table`.
template <typename Number>
struct WriterCountersOf {
  Number added{};    ///< updates committed
  Number deleted{};  ///< updates committed
  Number expired{};
  Number replicated{};      ///< records of masters
  Number refused{};         ///< updates answered with an error
  Number commits{};         ///< transactions
  Number checkpoints{};     ///< times the WAL was copied into the file
  Number pages_returned{};  ///< pages of the file given back after expiry and deletion

  static constexpr auto table() {
    using Counters = WriterCountersOf;
    return std::to_array<CounterLine<Counters, Number>>({
        {&Counters::added, {"shingled_storage_added", "Additions committed."}},
        {&Counters::deleted, {"shingled_storage_deleted", "Deletions committed."}},
        {&Counters::expired, {"shingled_storage_expired", "Hashes forgotten for their age."}},
        {&Counters::replicated, {"shingled_storage_replicated", "Records of masters committed."}},
        {&Counters::refused, {"shingled_storage_refused", "Updates answered with an error."}},
        {&Counters::commits, {"shingled_storage_commits", "Transactions."}},
        {&Counters::checkpoints,
         {"shingled_storage_checkpoints", "Times the write-ahead log went into the file."}},
        {&Counters::pages_returned,
         {"shingled_storage_pages_returned", "Pages of the file given back."}},
    });
  }
};
static_assert(kHasWholeTable<WriterCountersOf<std::uint64_t>>);

/// Those that run.
/// Threads: any thread may read.
struct WriterCounters : WriterCountersOf<std::atomic<std::uint64_t>> {
  Histogram commit_time{kLatencyShape};
  Histogram commit_size{kSizeShape};  ///< updates
};

/// What the engine has done since it was opened.
struct EngineCounters : WriterCountersOf<std::uint64_t> {
  std::uint64_t records = 0;          ///< live now
  std::uint64_t slot_overflows = 0;   ///< shingle slots whose owner list was full
  std::uint64_t updates_waiting = 0;  ///< in the queue of the writer now
};

}  // namespace shingled::storage::engine
