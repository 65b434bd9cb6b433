#include "storage/engine/engine_counters.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace shingled::storage::engine {

namespace {

/// Only one thread writes the number, so this is cheaper than an atomic addition.
void add_to(std::atomic<std::int64_t>& number, std::int64_t more) {
  number.store(number.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

}  // namespace

void FlagTotals::count(const FlagSet& flags, std::int64_t sign) {
  for (const FlagValue& entry : flags.all()) {
    Cell& cell = cells_[std::min(entry.flag, kOther)];
    add_to(cell.records, sign);
    add_to(cell.value, sign * entry.value);
  }
}

std::vector<FlagTotals::Total> FlagTotals::read() const {
  std::vector<Total> totals;
  for (std::uint32_t flag = 0; flag <= kOther; ++flag) {
    const std::int64_t records = cells_[flag].records.load(std::memory_order_relaxed);
    if (records <= 0) continue;
    totals.push_back({flag, static_cast<std::uint64_t>(records),
                      cells_[flag].value.load(std::memory_order_relaxed)});
  }
  return totals;
}

void report_engine(const EngineCounters& counters, std::span<const FlagTotals::Total> flags,
                   MetricReport& report) {
  report.gauge({"shingled_storage_records", "Hashes stored."}, counters.records);
  for (const FlagTotals::Total& total : flags) {
    const MetricLabels list = {
        {"flag", total.flag == FlagTotals::kOther ? "other" : std::to_string(total.flag)}};
    report.gauge({"shingled_storage_flag_records", "Hashes on each list."}, total.records, list);
    report.gauge({"shingled_storage_flag_value", "Sum of the values on each list."}, total.value,
                 list);
  }
  report_counters<WriterCountersOf<std::uint64_t>>(counters, report);
  report.counter({"shingled_storage_slot_overflows", "Shingles with more owners than fit."},
                 counters.slot_overflows);
  report.gauge({"shingled_storage_updates_waiting", "Updates that wait for the writer."},
               counters.updates_waiting);
}

void report_writer(const WriterCounters& counters, MetricReport& report) {
  report.histogram({"shingled_storage_commit_seconds", "Time of a transaction, with its sync."},
                   counters.commit_time.read());
  report.histogram({"shingled_storage_commit_updates", "Updates in one transaction."},
                   counters.commit_size.read());
}

void report_files(const std::string& hashfile, MetricReport& report) {
  for (const auto& [name, suffix] : {std::pair{"database", ""}, std::pair{"wal", "-wal"}}) {
    std::error_code missing;
    const auto size = std::filesystem::file_size(hashfile + suffix, missing);
    report.gauge({"shingled_storage_file_bytes", "Sizes of the database and its log."},
                 missing ? std::uint64_t{0} : std::uint64_t{size}, {{"file", name}});
  }
}

}  // namespace shingled::storage::engine
