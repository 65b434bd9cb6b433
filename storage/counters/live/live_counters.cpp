#include "storage/counters/live/live_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <utility>

namespace shingled::storage::counters {

namespace {

/// Of the memory, what the live table may use; the rest is for tables that wait to be sealed.
constexpr std::uint64_t kLiveShare = 3;

}  // namespace

LiveCounters::LiveCounters(const EmbeddedCounterOptions& options, const Surroundings& surroundings,
                           std::function<void()> wanted)
    : options_(options), use_(surroundings), wanted_(std::move(wanted)) {}

Status LiveCounters::add(const Addition& addition) {
  if (addition.counters.size() + addition.pairs.size() > kAdditionKeysMax)
    return Error{ErrorCode::kInvalid,
                 fmt::format("more than {} counters in one call", kAdditionKeysMax)};
  if (addition.amounts.is_zero() || (addition.counters.empty() && addition.pairs.empty()))
    return {};
  for (;;) {
    const Slot slot = use_.time.present_slot();
    const Live* stale = nullptr;
    bool is_early = false;
    {
      const std::shared_lock together(adding_);
      const std::shared_ptr<const Tables> now = use_.board.tables();
      const std::shared_ptr<Live>& live = now->live;
      is_early = live && live->table.slot() == slot &&
                 live->table.memory_bytes() > options_.memory_max / kLiveShare;
      const bool is_large = is_early || (live && live->log->bytes() > options_.log_max);
      const bool is_right = live && live->table.slot() == slot && !is_large;
      // Another thread is waiting for the disk with the next table. Until it has it, the one before
      // takes what comes, though its ten minutes have just ended: mail waits for this.
      if (is_right || (live && is_beginning_ && !is_full(*now))) {
        if (Status written = live->log->append(addition); !written) return written;
        apply(*now, *live, addition);
        return {};
      }
      if (live && is_full(*now))
        return Error{ErrorCode::kLimit, "counters.memory_max is used and waits to be written"};
      stale = live.get();
    }
    if (Status begun = begin_after(stale, slot); !begun) return begun;
    if (is_early) sealed_early_.fetch_add(1, std::memory_order_relaxed);
  }
}

void LiveCounters::apply(const Tables& tables, Live& live, const Addition& addition) {
  for (const CounterKey& key : addition.counters) live.table.add(key, addition.amounts);
  for (const Pair& pair : addition.pairs) {
    const std::uint64_t mass_before = live.table.add(pair.key, addition.amounts);
    if (mass_before != 0 || addition.amounts.of(Measure::kMass) == 0) continue;
    // Of all who bring this pair to this table one alone comes here.
    PairSeen doubt;
    PairSeen seen = tables.seen_before(live, pair.key, doubt);
    if (doubt.in_slot) use_.doubts.add(pair.unique_key(), {Period::Unit::kSlot, live.table.slot()});
    if (doubt.on_day)
      use_.doubts.add(pair.unique_key(), {Period::Unit::kDay, day_of(live.table.slot())});
    if (tables.claims) seen = tables.claims->add_to(seen, pair.key, pair.unique_key(), live.table);
    if (const Amounts grown = unique_amounts(seen); !grown.is_zero())
      live.table.add(pair.unique_key(), grown);
  }
}

bool LiveCounters::is_full(const Tables& tables) const {
  std::uint64_t bytes = tables.live->table.memory_bytes();
  for (const auto& table : tables.frozen) bytes += table->table.memory_bytes();
  return bytes > options_.memory_max;
}

Status LiveCounters::begin_after(const Live* seen, Slot slot) {
  const MutexLock beginning(beginning_);
  if (use_.board.tables()->live.get() != seen) return {};
  return begin_meanwhile(slot, [](Tables&) {});
}

Status LiveCounters::begin_meanwhile(Slot slot, const std::function<void(Tables&)>& change) {
  is_beginning_ = true;
  auto live = make_live(slot);
  Status begun;
  if (live) {
    const std::unique_lock alone(adding_);
    put_live(*std::move(live), change);
  } else {
    begun = live.error();
  }
  is_beginning_ = false;
  return begun;
}

Result<std::shared_ptr<Live>> LiveCounters::make_live(Slot slot) {
  auto live = std::make_shared<Live>(slot, use_.numbers.take());
  auto log = CounterLog::create(use_.files, log_name(live->number), slot);
  if (!log) return log.error();
  live->log = *std::move(log);
  return live;
}

void LiveCounters::put_live(std::shared_ptr<Live> live,
                            const std::function<void(Tables&)>& change) {
  use_.board.change_tables([&](Tables& tables) {
    if (tables.live) tables.frozen.push_back(tables.live);
    tables.live = std::move(live);
    change(tables);
  });
  if (wanted_) wanted_();
}

Result<std::vector<std::shared_ptr<Live>>> LiveCounters::claim(
    const std::shared_ptr<PairClaims>& claims) {
  std::vector<std::shared_ptr<Live>> older;
  const MutexLock beginning(beginning_);
  Status begun = begin_meanwhile(use_.time.present_slot(), [&](Tables& tables) {
    tables.claims = claims;
    older = tables.frozen;
  });
  if (!begun) return begun.error();
  return older;
}

void LiveCounters::end_claims(PairClaims* withdrawn) {
  const std::unique_lock alone(adding_);
  if (withdrawn != nullptr) withdrawn->withdraw();
  use_.board.change_tables([](Tables& tables) { tables.claims = nullptr; });
}

Status LiveCounters::while_nobody_adds(const std::function<Status(const BeginTable&)>& work) {
  const MutexLock beginning(beginning_);
  const std::unique_lock alone(adding_);
  return work([&]() -> Status {
    auto live = make_live(use_.time.present_slot());
    if (!live) return live.error();
    put_live(*std::move(live), [](Tables&) {});
    return {};
  });
}

Status LiveCounters::sync() {
  const std::shared_ptr<const Tables> now = use_.board.tables();
  Status first;
  // Its table is on the disk when it is sealed.
  if (now->live && now->live->log->is_doubtful())
    first = begin_after(now->live.get(), use_.time.present_slot());
  for (const auto& table : now->frozen)
    if (Status synced = sync_log(*table); !synced) first = synced;
  if (now->live)
    if (Status synced = sync_log(*now->live); !synced) first = synced;
  return first;
}

Status LiveCounters::sync_log(Live& table) {
  if (table.log) return table.log->sync();
  // The process that wrote it may have ended before it synced the last calls.
  if (table.is_old_log_synced.load(std::memory_order_relaxed)) return {};
  Status synced = use_.files.sync(log_name(table.number));
  if (synced) table.is_old_log_synced.store(true, std::memory_order_relaxed);
  return synced;
}

LiveCounters::Restored LiveCounters::restore(std::uint64_t number) {
  use_.numbers.begin_at(number + 1);
  const std::string name = log_name(number);
  Restored restored;
  const std::shared_ptr<const Tables> now = use_.board.tables();
  const auto content =
      read_log(use_.files, name, [&](Slot slot, const Addition& addition) -> Status {
        if (!restored.table) restored.table = std::make_shared<Live>(slot, number);
        apply(*now, *restored.table, addition);
        return {};
      });
  if (content) {
    restored.bytes_lost = content->bytes_lost;
  } else {
    restored.error = content.error();
  }
  if (!restored.table) {
    drop_log(use_.files, number, !content);
    return restored;
  }
  // What could be read is in memory alone until it is sealed, so the log keeps its name till then.
  restored.table->is_log_damaged = !content;
  use_.board.change_tables([&](Tables& tables) { tables.frozen.push_back(restored.table); });
  return restored;
}

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
