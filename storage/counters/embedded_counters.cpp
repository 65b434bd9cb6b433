#include "storage/counters/embedded_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>

#include "storage/counters/counter_files.h"

namespace shingled::storage::counters {

namespace {

/// Of the memory, what the live table may use; the rest is for tables that wait to be sealed.
constexpr std::uint64_t kLiveShare = 3;

}  // namespace

EmbeddedCounters::EmbeddedCounters(EmbeddedCounterOptions options, FileSystem& files,
                                   const Clock& clock, std::function<void()> wanted,
                                   std::unique_ptr<sqlite::CounterCatalogue> catalogue,
                                   const Timekeeper::State& time)
    : options_(std::move(options)),
      files_(files),
      clock_(clock),
      wanted_(std::move(wanted)),
      time_(std::in_place, time),
      view_(std::in_place, ViewPointer(std::make_shared<const View>())),
      sums_(options_.cache_max) {
  catalogue_.lock()->file = std::move(catalogue);
}

Slot EmbeddedCounters::present_slot() {
  return slot_of(time_.lock()->now(clock_.wall(), clock_.now()));
}

void EmbeddedCounters::change_view(const std::function<void(View&)>& change) {
  auto view = view_.lock();
  auto next = std::make_shared<View>(**view);
  change(*next);
  ++next->number;
  *view = std::move(next);
}

Status EmbeddedCounters::begin_table(const Live* seen, Slot slot) {
  const MutexLock beginning(beginning_);
  if (view()->live.get() != seen) return {};
  return begin_meanwhile(slot, [](View&) {});
}

Status EmbeddedCounters::begin_meanwhile(Slot slot, const std::function<void(View&)>& change) {
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

Status EmbeddedCounters::begin_alone(Slot slot) {
  auto live = make_live(slot);
  if (!live) return live.error();
  put_live(*std::move(live), [](View&) {});
  return {};
}

Result<std::shared_ptr<EmbeddedCounters::Live>> EmbeddedCounters::make_live(Slot slot) {
  auto live = std::make_shared<Live>(slot, next_number_++);
  auto log = CounterLog::create(files_, log_name(live->number), slot);
  if (!log) return log.error();
  live->log = *std::move(log);
  return live;
}

void EmbeddedCounters::put_live(std::shared_ptr<Live> live,
                                const std::function<void(View&)>& change) {
  change_view([&](View& view) {
    if (view.live) view.frozen.push_back(view.live);
    view.live = std::move(live);
    change(view);
  });
  if (wanted_) wanted_();
}

bool EmbeddedCounters::is_full(const View& view) const {
  std::uint64_t bytes = view.live->table.memory_bytes();
  for (const auto& table : view.frozen) bytes += table->table.memory_bytes();
  return bytes > options_.memory_max;
}

Status EmbeddedCounters::add(const Addition& addition) {
  if (addition.counters.size() + addition.pairs.size() > kAdditionKeysMax)
    return Error{ErrorCode::kInvalid,
                 fmt::format("more than {} counters in one call", kAdditionKeysMax)};
  if (addition.amounts.is_zero() || (addition.counters.empty() && addition.pairs.empty()))
    return {};
  for (;;) {
    const Slot slot = present_slot();
    const Live* stale = nullptr;
    bool is_early = false;
    {
      const std::shared_lock together(adding_);
      const ViewPointer now = view();
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
    if (Status begun = begin_table(stale, slot); !begun) return begun;
    if (is_early) sealed_early_.fetch_add(1, std::memory_order_relaxed);
  }
}

void EmbeddedCounters::apply(const View& view, Live& live, const Addition& addition) {
  for (const CounterKey& key : addition.counters) live.table.add(key, addition.amounts);
  for (const Pair& pair : addition.pairs) {
    const std::uint64_t mass_before = live.table.add(pair.key, addition.amounts);
    if (mass_before != 0 || addition.amounts.of(Measure::kMass) == 0) continue;
    // Of all who bring this pair to this table one alone comes here.
    PairSeen doubt;
    PairSeen seen = seen_before(view, live, pair.key, doubt);
    if (doubt.in_slot) doubts_.add(pair.unique_key(), {Period::Unit::kSlot, live.table.slot()});
    if (doubt.on_day)
      doubts_.add(pair.unique_key(), {Period::Unit::kDay, day_of(live.table.slot())});
    if (view.claims) seen = view.claims->add_to(seen, pair.key, pair.unique_key(), live.table);
    if (const Amounts grown = unique_amounts(seen); !grown.is_zero())
      live.table.add(pair.unique_key(), grown);
  }
}

PairSeen EmbeddedCounters::seen_before(const View& view, const Live& live, const CounterKey& key,
                                       PairSeen& doubt) {
  const Slot slot = live.table.slot();
  const Day day = day_of(slot);
  // For a table that is read again after a call to forget, all was still there.
  const std::uint64_t forgotten = view.last_forgotten(key);
  const std::uint64_t last = live.number > forgotten ? forgotten : 0;
  PairSeen seen;
  const auto note_loss = [&](const LostPeriods& lost, std::int64_t) {
    doubt.in_slot = doubt.in_slot || lost.has_slot(slot);
    doubt.on_day = doubt.on_day || lost.has_day(day);
  };
  view.each_loss(key, note_loss);
  for (const auto& older : view.frozen) {
    if (older.get() == &live || older->number <= last || day_of(older->table.slot()) != day)
      continue;
    if (older->table.find(key).of(Measure::kMass) == 0) continue;
    seen.on_day = true;
    seen.in_slot = seen.in_slot || older->table.slot() == slot;
  }
  for (const auto& file : view.files) {
    if (seen.in_slot || file->number() <= last || !file->sealed->footer().range.covers_day(day))
      continue;
    const Status found = file->sealed->find(key, [&](const Period& period, const Amounts& amounts) {
      if (amounts.of(Measure::kMass) == 0) return;
      const bool is_slot = period.unit == Period::Unit::kSlot;
      seen.on_day = seen.on_day || (is_slot ? day_of(period.number) : period.number) == day;
      seen.in_slot = seen.in_slot || (is_slot && period.number == slot);
    });
    if (found) continue;
    note_damage(*file, found.error());
    note_loss(LostPeriods::of(file->sealed->footer().range), file->catalogued.id);
  }
  // Rather one too few than one pair twice.
  doubt.in_slot = doubt.in_slot && !seen.in_slot;
  doubt.on_day = doubt.on_day && !seen.on_day;
  seen.in_slot = seen.in_slot || doubt.in_slot;
  seen.on_day = seen.on_day || doubt.on_day;
  return seen;
}

CounterAnswers EmbeddedCounters::ask(std::span<const CounterKey> keys,
                                     std::span<const Window> windows) {
  const Slot slot = present_slot();
  const ViewPointer now = view();
  CounterAnswers answers;
  answers.windows = windows.size();
  answers.sums.resize(keys.size() * windows.size());
  answers.known.assign(keys.size(), true);
  ask_files(*now, slot, keys, windows, answers);

  const auto add_table = [&](const Live& live) {
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (const Amounts amounts = live.table.find(keys[i]);
          !amounts.is_zero() && live.number > now->last_forgotten(keys[i]))
        WindowSums(windows, slot, answers.of_key(i))
            .add(keys[i].type, {Period::Unit::kSlot, live.table.slot()}, amounts);
  };
  if (now->live) add_table(*now->live);
  for (const auto& table : now->frozen) add_table(*table);
  ask_losses(*now, slot, keys, windows, answers);
  return answers;
}

Result<std::vector<Entry>> EmbeddedCounters::series(const CounterKey& key) {
  return entries_of(*view(), key);
}

Result<std::vector<Entry>> EmbeddedCounters::entries_of(const View& view, const CounterKey& key) {
  std::optional<std::int64_t> lost;
  view.each_loss(key, [&](const LostPeriods&, std::int64_t id) { lost = id; });
  if (lost) return Error{ErrorCode::kCorrupt, sealed_name(*lost) + ": is damaged or not there"};
  const std::uint64_t last = view.last_forgotten(key);
  std::vector<Entry> entries;
  const auto add_table = [&](const Live& live) {
    if (const Amounts amounts = live.table.find(key); !amounts.is_zero() && live.number > last)
      add_entry(entries, {{Period::Unit::kSlot, live.table.slot()}, amounts});
  };
  if (view.live) add_table(*view.live);
  for (const auto& table : view.frozen) add_table(*table);
  for (const auto& file : view.files) {
    if (file->number() <= last) continue;
    // What `find` calls must not allocate (read_mapped), so the entries are counted first.
    std::size_t count = 0;
    Status read = file->sealed->find(key, [&](const Period&, const Amounts&) { ++count; });
    std::vector<Entry> found(count);
    count = 0;
    if (read)
      read = file->sealed->find(key, [&](const Period& period, const Amounts& amounts) {
        if (count < found.size()) found[count++] = {period, amounts};
      });
    if (!read) {
      note_damage(*file, read.error());
      return read.error();
    }
    for (const Entry& entry : found) add_entry(entries, entry);
  }
  return entries;
}

Status EmbeddedCounters::sync() {
  const ViewPointer now = view();
  Status first;
  // Its table is on the disk when it is sealed.
  if (now->live && now->live->log->is_doubtful())
    first = begin_table(now->live.get(), present_slot());
  for (const auto& table : now->frozen)
    if (Status synced = sync_log(*table); !synced) first = synced;
  if (now->live)
    if (Status synced = sync_log(*now->live); !synced) first = synced;
  return first;
}

Status EmbeddedCounters::sync_log(Live& table) {
  if (table.log) return table.log->sync();
  // The process that wrote it may have ended before it synced the last calls.
  if (table.is_old_log_synced.load(std::memory_order_relaxed)) return {};
  Status synced = files_.sync(log_name(table.number));
  if (synced) table.is_old_log_synced.store(true, std::memory_order_relaxed);
  return synced;
}

Status EmbeddedCounters::verify(const std::stop_token& stop) {
  const ViewPointer now = view();
  if (!now->lost.empty())
    return Error{ErrorCode::kCorrupt, sealed_name(now->lost.front().id) + ": not there or damaged"};
  if (logs_lost_ > 0 && !are_logs_told_) return Error{ErrorCode::kCorrupt, lost_.back()};
  for (const auto& file : now->files) {
    if (stop.stop_requested()) return Error{ErrorCode::kTimeout, "stopped"};
    if (Status right = file->sealed->verify(); !right) {
      note_damage(*file, right.error());
      return right;
    }
  }
  return {};
}

EmbeddedCounterStatus EmbeddedCounters::status() const {
  const ViewPointer now = view();
  EmbeddedCounterStatus status;
  const auto add_table = [&](const LiveTable& table) {
    status.live_counters += table.size();
    status.memory_bytes += table.memory_bytes();
  };
  if (now->live) add_table(now->live->table);
  for (const auto& table : now->frozen) add_table(table->table);
  status.tables_unsealed = now->frozen.size();
  status.cache_bytes = sums_.bytes();
  status.shrunk = shrunk_.load(std::memory_order_relaxed);
  status.sealed_early = sealed_early_.load(std::memory_order_relaxed);
  status.forgotten = now->forgotten ? now->forgotten->size() : 0;
  status.files_lost = now->lost.size();
  status.gaps = now->gaps.size();
  status.doubts = doubts_.size();
  status.logs_lost = logs_lost_;
  status.log_bytes_lost = log_bytes_lost_;
  status.lost = lost_;
  for (const auto& file : now->files) {
    ++status.files;
    if (is_damaged(*file)) ++status.files_damaged;
    status.rows += file->catalogued.rows;
    status.disk_bytes += file->catalogued.bytes;
  }
  return status;
}

}  // namespace shingled::storage::counters
