#include "storage/engine/flag_totals.h"

#include <algorithm>

namespace shingled::storage::engine {

namespace {

/// For numbers only one thread writes: cheaper than an atomic addition.
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

}  // namespace shingled::storage::engine
