#include "storage/counters/live/pair_claims.h"

#include <algorithm>
#include <utility>

namespace shingled::storage::counters {

namespace {

std::vector<PairClaims::Claim> sorted(std::vector<PairClaims::Claim> claims) {
  std::ranges::sort(claims);
  return claims;
}

}  // namespace

Amounts unique_amounts(const PairSeen& seen) {
  Amounts amounts;
  if (seen.in_slot) return amounts;
  amounts.of(Measure::kMass) = 1;
  amounts.of(kNewOnDay) = seen.on_day ? 0 : 1;
  return amounts;
}

PairClaims::PairClaims(std::vector<Claim> claims) : claims_(sorted(std::move(claims))) {}

PairSeen PairClaims::add_to(const PairSeen& seen, const CounterKey& pair, const CounterKey& unique,
                            LiveTable& table) {
  PairSeen all = seen;
  const Slot slot = table.slot();
  auto claim = std::ranges::lower_bound(claims_, Claim{pair, {}});
  for (; claim != claims_.end() && claim->key == pair; ++claim) {
    const bool is_slot = claim->period.unit == Period::Unit::kSlot;
    const Day day = is_slot ? day_of(claim->period.number) : claim->period.number;
    all.on_day = all.on_day || day == day_of(slot);
    all.in_slot = all.in_slot || (is_slot && claim->period.number == slot);
  }
  if (all == seen) return all;
  Amounts debt = unique_amounts(seen);
  const Amounts paid = unique_amounts(all);
  for (std::size_t i = 0; i < kMeasures; ++i) debt.counts[i] -= paid.counts[i];
  if (!debt.is_zero()) debts_.lock()->push_back({&table, unique, debt});
  return all;
}

void PairClaims::withdraw() {
  auto debts = debts_.lock();
  for (const Debt& debt : *debts) debt.table->add(debt.unique, debt.amounts);
  debts->clear();
}

}  // namespace shingled::storage::counters
