#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "config/metrics/counter_table.h"
#include "config/metrics/instruments.h"
#include "config/metrics/metric_report.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::storage::engine {

/// Counts the records on each list, and keeps the counts up to date when records come and go.
///
/// Flags above 255 do not fit into a packet; only an import brings them, and their number has no
/// bound. They are counted together as kOther.
/// Threads: one writer; `read` from any thread.
/// Cost: two loads and two stores for each list of the record, no lock.
class FlagTotals {
 public:
  static constexpr std::uint32_t kOther = 256;  ///< this and all higher flags

  struct Total {
    std::uint32_t flag = 0;
    std::uint64_t records = 0;
    std::int64_t value = 0;  ///< sum of the values
    friend bool operator==(const Total&, const Total&) = default;
  };

  void add(const FlagSet& flags) { count(flags, 1); }
  void take(const FlagSet& flags) { count(flags, -1); }
  /// Lists that have records, in the order of flags.
  [[nodiscard]] std::vector<Total> read() const;

 private:
  struct Cell {
    std::atomic<std::int64_t> records{0};
    std::atomic<std::int64_t> value{0};
  };
  void count(const FlagSet& flags, std::int64_t sign);
  std::array<Cell, kOther + 1> cells_;
};

/// What the writer has done. A new counter is a field and its line in `table`.
template <typename Number>
struct WriterCountersOf {
  Number added{};    ///< updates committed
  Number deleted{};  ///< updates committed
  Number expired{};
  Number replicated{};      ///< records from masters
  Number refused{};         ///< updates answered with an error
  Number commits{};         ///< transactions
  Number checkpoints{};     ///< times the WAL was copied into the file
  Number pages_returned{};  ///< unused pages of the file given back

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

/// The live counters of the writer.
/// Threads: any thread may read.
struct WriterCounters : WriterCountersOf<std::atomic<std::uint64_t>> {
  Histogram commit_time{kLatencyShape};
  Histogram commit_size{kSizeShape};  ///< updates
};

/// The counters of the engine since it was opened.
struct EngineCounters : WriterCountersOf<std::uint64_t> {
  std::uint64_t records = 0;          ///< stored now
  std::uint64_t slot_overflows = 0;   ///< times a shingle slot could not keep one more owner
  std::uint64_t updates_waiting = 0;  ///< now in the writer's queue
};

/// Reports the engine's measurements, named `shingled_storage_...`.
/// Threads: any thread.
void report_engine(const EngineCounters& counters, std::span<const FlagTotals::Total> flags,
                   MetricReport& report);
/// Reports how long commits take and how large they are.
void report_writer(const WriterCounters& counters, MetricReport& report);
/// Reports the sizes of the database and its write-ahead log. Asks the file system.
void report_files(const std::string& hashfile, MetricReport& report);

}  // namespace shingled::storage::engine
