#include "storage/counters/compactor/past_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "storage/counters/sealed/sealed_writer.h"

namespace shingled::storage::counters {

namespace {

/// Forgotten counters are kept in memory until all files of before were merged.
constexpr std::size_t kForgottenMax = 1'000'000;

/// What one addition adds to one counter in its slot.
struct PastItem {
  CounterKey key;
  Slot slot = 0;
  std::uint32_t addition = 0;  ///< its place; or one of those below
  std::uint64_t unique = 0;    ///< of a pair: the shingle of its unique
};
constexpr std::uint32_t kOneInSlot = 0xFFFF'FFFE;        ///< of a unique type
constexpr std::uint32_t kOneInSlotAndDay = 0xFFFF'FFFF;  ///< of a unique type
constexpr std::size_t kAdditionsMax = kOneInSlot;

bool comes_before(const PastItem& a, const PastItem& b) {
  if (const auto order = a.key <=> b.key; order != 0) return order < 0;
  return a.slot < b.slot;
}

Amounts past_amounts(const PastItem& item, std::span<const PastAddition> additions) {
  if (item.addition < kOneInSlot) return additions[item.addition].addition.amounts;
  return unique_amounts({.in_slot = false, .on_day = item.addition == kOneInSlot});
}

bool has_mass(const PastItem& item, std::span<const PastAddition> additions) {
  return additions[item.addition].addition.amounts.of(Measure::kMass) != 0;
}

/// Sorted.
std::vector<PastItem> items_of(std::span<const PastAddition> additions, Day days_from) {
  std::vector<PastItem> items;
  for (std::size_t i = 0; i < additions.size(); ++i) {
    const PastAddition& past = additions[i];
    if (past.addition.amounts.is_zero() || day_of(past.slot) < days_from) continue;
    const auto place = static_cast<std::uint32_t>(i);
    for (const CounterKey& key : past.addition.counters) items.push_back({key, past.slot, place});
    for (const Pair& pair : past.addition.pairs)
      items.push_back({pair.key, past.slot, place, pair.unique});
  }
  std::ranges::sort(items, comes_before);
  return items;
}

/// The end of the items with the same key.
std::size_t end_of_key(const std::vector<PastItem>& items, std::size_t at) {
  std::size_t end = at;
  while (end < items.size() && items[end].key == items[at].key) ++end;
  return end;
}

/// The slots of a pair's items that have mass, with the unique's shingle; each slot once.
std::vector<PastItem> massive(std::span<const PastItem> pair,
                              std::span<const PastAddition> additions) {
  std::vector<PastItem> out;
  for (const PastItem& item : pair)
    if (has_mass(item, additions) && (out.empty() || out.back().slot != item.slot))
      out.push_back(item);
  return out;
}

/// Items of the unique counters that grow. `before`: what the pair has already.
void add_uniques(const std::vector<PastItem>& slots, const std::vector<Entry>& before,
                 std::vector<PastItem>& out) {
  std::optional<Day> day_before;
  for (const PastItem& item : slots) {
    const Day day = day_of(item.slot);
    PairSeen seen;
    for (const Entry& entry : before) {
      if (entry.amounts.of(Measure::kMass) == 0) continue;
      const bool is_slot = entry.period.unit == Period::Unit::kSlot;
      seen.on_day =
          seen.on_day || (is_slot ? day_of(entry.period.number) : entry.period.number) == day;
      seen.in_slot = seen.in_slot || (is_slot && entry.period.number == item.slot);
    }
    if (!seen.in_slot) {
      const bool is_new = !seen.on_day && day_before != day;
      const Pair pair{item.key, item.unique};
      out.push_back({pair.unique_key(), item.slot, is_new ? kOneInSlotAndDay : kOneInSlot});
    }
    day_before = day;
  }
}

/// Of a pair of which it cannot be read whether it was new.
void doubt_uniques(const std::vector<PastItem>& slots, UniqueDoubts& doubts) {
  for (const PastItem& item : slots) {
    const CounterKey unique = Pair{item.key, item.unique}.unique_key();
    doubts.add(unique, {Period::Unit::kSlot, item.slot});
    doubts.add(unique, {Period::Unit::kDay, day_of(item.slot)});
  }
}

Error in_future(std::uint32_t number) {
  return {ErrorCode::kInvalid, fmt::format("period {} is in the future", number)};
}

}  // namespace

Status PastCounters::insert(std::vector<PairClaims::Claim> claims,
                            const std::function<Rows(const View&)>& make_rows) {
  // Counters that are not pairs only add up, so nobody needs to wait for anybody.
  if (claims.empty()) return insert_file(make_rows(*use_.view.get()));
  // From here on whoever adds takes the claimed pairs as seen, and counts in a new table. The older
  // ones are sealed first: if their logs were read again at a start, the new file would change what
  // was new in them.
  const auto claimed = std::make_shared<PairClaims>(std::move(claims));
  const auto older = use_.live.claim(claimed);
  if (!older) return older.error();
  Status done = compactor_.seal_all(*older, {});
  // What is in tables now came after the claims.
  View before = *use_.view.get();
  before.live = nullptr;
  before.frozen.clear();
  if (done) done = insert_file(make_rows(before));
  use_.live.end_claims(done ? nullptr : claimed.get());
  return done;
}

Status PastCounters::insert_file(const Rows& rows) {
  std::uint64_t count = 0;
  PeriodRange range;
  Status done = rows([&](const CounterKey&, const std::vector<Entry>& entries) -> Status {
    ++count;
    for (const Entry& entry : entries) range.include(entry.period);
    return {};
  });
  if (!done || count == 0) return done;
  if (Status settled = use_.sealed.settle(*use_.sealed.catalogue()); !settled) return settled;
  const std::uint64_t number = use_.numbers.take();
  const std::string name = sealed_name(static_cast<std::int64_t>(number));
  auto writer = SealedWriter::begin(use_.files, name, count, range);
  if (!writer) return writer.error();
  done = rows([&](const CounterKey& key, const std::vector<Entry>& entries) {
    return writer->add(key, entries);
  });
  if (!done) return done;
  const auto footer = writer->finish();
  if (!footer) return footer.error();
  auto made = use_.sealed.open_made(number, *footer);
  if (!made) return made.error();
  done = compactor_.replace({.made = *made});
  if (done && wanted_) wanted_();
  return done;
}

Status PastCounters::learn(std::span<const PastAddition> additions) {
  const Slot present = use_.time.present_slot();
  if (additions.size() >= kAdditionsMax)
    return Error{ErrorCode::kInvalid, "too many additions in one call"};
  for (const PastAddition& past : additions) {
    if (past.slot > present) return in_future(past.slot);
    if (past.addition.counters.size() + past.addition.pairs.size() > kAdditionKeysMax)
      return Error{ErrorCode::kInvalid,
                   fmt::format("more than {} counters in one addition", kAdditionKeysMax)};
  }
  const MergeRules rules = rules_now(use_.time);
  std::vector<PastItem> items = items_of(additions, rules.days_from);
  if (items.empty()) return {};

  std::vector<PairClaims::Claim> claims;
  for (const PastItem& item : items) {
    const PairClaims::Claim claim{item.key, {Period::Unit::kSlot, item.slot}};
    if (is_pair(item.key.type) && has_mass(item, additions) &&
        (claims.empty() || claims.back() != claim))
      claims.push_back(claim);
  }
  const auto make_rows = [&](const View& view) -> Rows {
    std::vector<PastItem> uniques;
    for (std::size_t at = 0, end = 0; at < items.size(); at = end) {
      end = end_of_key(items, at);
      if (!is_pair(items[at].key.type)) continue;
      const std::vector<PastItem> slots =
          massive(std::span(items).subspan(at, end - at), additions);
      // What cannot be read counts as seen: rather one too few than one pair twice.
      if (const auto before = view.entries_of(items[at].key); before)
        add_uniques(slots, *before, uniques);
      else
        doubt_uniques(slots, use_.doubts);
    }
    items.insert(items.end(), uniques.begin(), uniques.end());
    std::ranges::sort(items, comes_before);
    return [&](const TakeRow& take) -> Status {
      for (std::size_t at = 0, end = 0; at < items.size(); at = end) {
        end = end_of_key(items, at);
        std::vector<Entry> entries;
        for (std::size_t i = at; i < end; ++i)
          add_entry(entries,
                    {{Period::Unit::kSlot, items[i].slot}, past_amounts(items[i], additions)});
        entries = apply_rules(items[at].key.type, entries, rules);
        if (entries.empty()) continue;
        if (Status taken = take(items[at].key, entries); !taken) return taken;
      }
      return {};
    };
  };
  return compactor_.exclusively([&] { return insert(std::move(claims), make_rows); });
}

Status PastCounters::import(std::span<const CounterSeries> counters) {
  const Slot present = use_.time.present_slot();
  std::vector<const CounterSeries*> sorted;
  std::vector<PairClaims::Claim> claims;
  for (const CounterSeries& counter : counters) {
    for (const Entry& entry : counter.entries) {
      const bool is_slot = entry.period.unit == Period::Unit::kSlot;
      if (entry.period.number > (is_slot ? present : day_of(present)))
        return in_future(entry.period.number);
      if (std::ranges::any_of(entry.amounts.counts, [](auto count) { return count > kCountMax; }))
        return Error{ErrorCode::kInvalid, fmt::format("a count is larger than {}", kCountMax)};
      if (is_pair(counter.key.type) && entry.amounts.of(Measure::kMass) != 0)
        claims.push_back({counter.key, entry.period});
    }
    sorted.push_back(&counter);
  }
  std::ranges::sort(sorted, [](const auto* a, const auto* b) { return a->key < b->key; });
  const MergeRules rules = rules_now(use_.time);
  const auto make_rows = [&](const View&) -> Rows {
    return [&](const TakeRow& take) -> Status {
      for (std::size_t at = 0, end = 0; at < sorted.size(); at = end) {
        const CounterKey& key = sorted[at]->key;
        std::vector<Entry> entries;
        for (end = at; end < sorted.size() && sorted[end]->key == key; ++end)
          for (const Entry& entry : sorted[end]->entries)
            if (!entry.amounts.is_zero()) add_entry(entries, entry);
        entries = apply_rules(key.type, entries, rules);
        if (entries.empty()) continue;
        if (Status taken = take(key, entries); !taken) return taken;
      }
      return {};
    };
  };
  return compactor_.exclusively([&] { return insert(std::move(claims), make_rows); });
}

Status PastCounters::forget(std::span<const CounterKey> keys) {
  if (keys.empty()) return {};
  return compactor_.exclusively([&] { return forget_now(keys); });
}

Status PastCounters::forget_now(std::span<const CounterKey> keys) {
  // A row has room for one number. A log that came after the first one is not read again then.
  const ViewPointer now = use_.view.get();
  const bool is_again =
      std::ranges::any_of(keys, [&](const auto& key) { return now->last_forgotten(key) != 0; });
  if (is_again) {  // first most of it, while others add
    if (Status begun = use_.live.begin_after(now->live.get(), use_.time.present_slot()); !begun)
      return begun;
    if (Status sealed = compactor_.seal_all(use_.view.get()->frozen, {}); !sealed) return sealed;
  }
  return use_.live.while_nobody_adds([&](const LiveCounters::BeginTable& begin_table) -> Status {
    if (is_again) {
      if (Status begun = begin_table(); !begun) return begun;
      if (Status sealed = compactor_.seal_all(use_.view.get()->frozen, {}); !sealed) return sealed;
    }
    return forget_alone(keys, begin_table);
  });
}

// Nobody adds and no file gets a number until it is done, so what has a number counts as before.
Status PastCounters::forget_alone(std::span<const CounterKey> keys,
                                  const LiveCounters::BeginTable& begin_table) {
  auto catalogue = use_.sealed.catalogue();
  auto forgotten = std::make_shared<ForgottenCounters>();
  if (const auto before = use_.view.get()->forgotten; before) *forgotten = *before;
  const std::uint64_t last = use_.numbers.last();
  std::vector<sqlite::ForgottenRow> rows;
  for (const CounterKey& key : keys) {
    forgotten->put(key, last);
    rows.push_back({key.shingle, key.tag(), static_cast<std::int64_t>(last)});
  }
  if (forgotten->size() > kForgottenMax)
    return Error{ErrorCode::kLimit, fmt::format("{} counters were forgotten and wait to be "
                                                "removed from their files",
                                                kForgottenMax)};
  // First, so that nothing changes if it fails. A table that is begun without need does no harm.
  if (Status begun = begin_table(); !begun) return begun;
  sqlite::CounterCatalogue::Change change;
  change.forgotten = rows;
  if (Status changed = catalogue->file->change(change); !changed) return changed;
  use_.view.change([&](View& view) { view.forgotten = std::move(forgotten); });
  return {};
}

}  // namespace shingled::storage::counters
