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
#include "storage/model/flag_set.h"

namespace shingled::storage::engine {

/// How many records stand on each list, kept up to date as they come and go.
///
/// Lists beyond those a packet can name (255) are counted as one: only an import brings them, and
/// their number has no bound.
/// Threads: one writer; `read` from any thread.
/// Cost: two loads and stores a list of the record, no lock.
class FlagTotals {
 public:
  static constexpr std::uint32_t kOther = 256;  ///< stands for every flag from here on

  struct Total {
    std::uint32_t flag = 0;
    std::uint64_t records = 0;
    std::int64_t value = 0;  ///< the sum of their values
    friend bool operator==(const Total&, const Total&) = default;
  };

  void add(const FlagSet& flags) { count(flags, 1); }
  void take(const FlagSet& flags) { count(flags, -1); }
  /// Lists with records, in the order of flags.
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

/// The engine's measurements under their names: `shingled_storage_...`.
/// Threads: any thread.
void report_engine(const EngineCounters& counters, std::span<const FlagTotals::Total> flags,
                   MetricReport& report);
/// Those of the writer: how long commits take and how large they are.
void report_writer(const WriterCounters& counters, MetricReport& report);
/// The sizes of the database and its write-ahead log. Asks the file system.
void report_files(const std::string& hashfile, MetricReport& report);

}  // namespace shingled::storage::engine
