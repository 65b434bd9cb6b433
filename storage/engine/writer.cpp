#include "storage/engine/writer.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <string>
#include <unordered_set>
#include <utility>
#include <variant>

#include "config/base/assert.h"

namespace shingled::storage::engine {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPatience{500};  ///< longest sleep of an idle writer

/// Returns the outcome of `work`; bad_alloc becomes kLimit.
template <typename Work>
Status within_memory(const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kLimit, "out of memory"};
  }
}

Error too_many_hashes() { return {ErrorCode::kLimit, "storage.hashes_max is reached"}; }

/// What the daemon before left is not older than `expire`. If it is, the clock is ahead, or the
/// machine was off for long; so a clock that shows a time up to that needs no proof. The newest
/// record proves nothing: it may have been taught while the clock was ahead.
ClockWatch watch_of(FuzzyIndex& index, std::chrono::seconds expire, const Clock& clock) {
  const std::uint32_t wall = unix_seconds(clock.wall());
  const TimePoint now = clock.now();
  std::uint32_t newest = 0;
  std::uint32_t oldest = wall;
  const RecordStore& records = index.records();
  for (std::uint32_t number = 0; number < records.number_end(); ++number) {
    if (!records.is_live(number)) continue;
    const std::uint32_t updated = records.updated(number);
    newest = std::max(newest, updated);
    if (updated >= FuzzyIndex::kClockUnset) oldest = std::min(oldest, updated);
  }
  // A clock that is ahead by less than the skew is believed, so that much is left out.
  const std::int64_t skew = expire.count() > kClockSkewSeconds ? kClockSkewSeconds : 0;
  const std::int64_t known =
      std::min<std::int64_t>(wall, std::int64_t{oldest} + expire.count() - skew);
  ClockWatch watch(expire.count() == 0 ? wall : static_cast<std::uint32_t>(known), newest, now);
  static_cast<void>(watch.believes(wall, now));
  index.believe_until(watch.certain(now));
  return watch;
}

}  // namespace

Writer::Writer(const EngineOptions& options, FuzzyIndex& index,
               std::unique_ptr<sqlite::FuzzyTable> table,
               std::unique_ptr<Checkpointer> checkpointer, Clock& clock, Logger& logger)
    : options_(options),
      index_(index),
      table_(std::move(table)),
      checkpointer_(std::move(checkpointer)),
      clock_(clock),
      logger_(logger),
      queue_(options.update_queue_max),
      clock_watch_(watch_of(index, options.expire, clock)),
      wal_due_(kWalPages),
      wal_warn_at_(kWalWarnPages),
      thread_([this] { run(); }) {
  SHINGLED_ASSERT(options_.hashes_max != 0 && options_.group_commit_max != 0);
  ::pthread_setname_np(thread_.native_handle(), "writer");
}

Writer::~Writer() { queue_.close(); }

void Writer::submit(const Update& update, UpdateDone done) {
  queue({update, std::move(done), nullptr});
}

void Writer::submit(ReplicaBatch batch, UpdateDone done) {
  QueuedUpdate pending{.update = {}, .done = std::move(done)};
  pending.batch = std::make_unique<const ReplicaBatch>(std::move(batch));
  queue(std::move(pending));
}

void Writer::queue(QueuedUpdate pending) {
  if (queue_.push(pending)) return;
  counters_.refused.fetch_add(1, std::memory_order_relaxed);
  pending.done(Error{ErrorCode::kLimit, "too many updates are waiting"});
}

void Writer::run() {
  const milliseconds gather =
      options_.durability == Durability::kSync ? options_.sync : milliseconds{0};
  while (!queue_.finished()) {
    const milliseconds patience = more_to_do_ ? milliseconds{0} : kPatience;
    const Status done = within_memory([&]() -> Status {
      commit_all(queue_.take(options_.group_commit_max, patience, gather));
      return {};
    });
    // There was no memory to take the updates, so they are still in the queue. Without memory there
    // is nothing else to do.
    if (!done) std::this_thread::sleep_for(kPatience);
    run_maintenance();
  }
}

void Writer::run_maintenance() {
  more_to_do_ = false;
  const Status kept = within_memory([this]() -> Status {
    const bool more_expired = options_.expire.count() > 0 && expire_slice();
    const bool more_to_give = give_back_slice();
    more_to_do_ = more_expired || more_to_give;
    maintain_wal();
    try_disk();
    return {};
  });
  if (!kept) static_cast<void>(log_outcome(kept));
}

void Writer::commit_all(std::span<const QueuedUpdate> group) {
  const auto is_batch = [](const QueuedUpdate& pending) { return pending.batch != nullptr; };
  while (!group.empty()) {
    if (is_batch(group.front())) {
      commit_batch(group.front());
      group = group.subspan(1);
      continue;
    }
    const auto updates = std::find_if(group.begin(), group.end(), is_batch) - group.begin();
    commit_updates(group.first(static_cast<std::size_t>(updates)));
    group = group.subspan(static_cast<std::size_t>(updates));
  }
}

void Writer::commit_batch(const QueuedUpdate& pending) {
  if (is_beyond_bound(*pending.batch)) {
    return pending.done(full(too_many_hashes(), full_));
  }
  const Status outcome = commit([&](UpdateGroup& changes) { changes.fold(*pending.batch); });
  if (outcome) {
    counters_.replicated.fetch_add(pending.batch->records.size(), std::memory_order_relaxed);
    rows_removed_ |= std::ranges::any_of(pending.batch->records, [](const ReplicaRecord& record) {
      const auto* part = std::get_if<PartRecord>(&record);
      return part == nullptr || part->part.flags.empty();
    });
  }
  pending.done(outcome);
}

void Writer::commit_updates(std::span<const QueuedUpdate> group) {
  std::vector<bool> refused;
  std::vector<const QueuedUpdate*> fitting;
  const Status judged = within_memory([&]() -> Status {
    refused = beyond_bound(group);
    refused.resize(group.size());
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (!refused[i]) fitting.push_back(&group[i]);
    }
    return {};
  });
  if (!judged) {
    for (const QueuedUpdate& pending : group) pending.done(judged);
    return;
  }
  if (!fitting.empty()) commit_fitting(fitting);
  if (fitting.size() == group.size()) return;
  counters_.refused.fetch_add(group.size() - fitting.size(), std::memory_order_relaxed);
  const Status no_room = full(too_many_hashes(), full_);
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (refused[i]) group[i].done(no_room);
  }
}

void Writer::commit_fitting(std::span<const QueuedUpdate* const> group) {
  SHINGLED_ASSERT(!group.empty());
  const TimePoint begun = clock_.now();
  const Status outcome = commit([&](UpdateGroup& changes) {
    for (const QueuedUpdate* pending : group) changes.fold(pending->update);
  });
  if (!outcome && outcome.error().code == ErrorCode::kLimit) {
    // Some of its updates may need no room. Halves the group until it finds the single updates that
    // do, and refuses these.
    if (group.size() > 1) {
      commit_fitting(group.first(group.size() / 2));
      return commit_fitting(group.subspan(group.size() / 2));
    }
    static_cast<void>(full(outcome.error(), lists_full_));
  }
  const auto deletes =
      static_cast<std::uint64_t>(std::ranges::count_if(group, [](const QueuedUpdate* pending) {
        return pending->update.kind == Update::Kind::kDelete;
      }));
  if (outcome) {
    counters_.commit_time.observe(clock_.now() - begun);
    counters_.commit_size.observe(group.size());
    counters_.added.fetch_add(group.size() - deletes, std::memory_order_relaxed);
    counters_.deleted.fetch_add(deletes, std::memory_order_relaxed);
    rows_removed_ |= deletes != 0;
  } else {
    counters_.refused.fetch_add(group.size(), std::memory_order_relaxed);
  }
  for (const QueuedUpdate* pending : group) pending->done(outcome);
}

std::vector<bool> Writer::beyond_bound(std::span<const QueuedUpdate> group) const {
  if (index_.size() + group.size() <= options_.hashes_max) return {};
  std::vector<bool> refused(group.size());
  std::unordered_set<Digest, DigestHash> added;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const Digest& digest = group[i].update.fingerprint.digest;
    if (group[i].update.kind == Update::Kind::kDelete || index_.find(digest) != 0) continue;
    if (added.contains(digest)) continue;
    if (index_.size() + added.size() < options_.hashes_max) {
      added.insert(digest);
    } else {
      refused[i] = true;
    }
  }
  return refused;
}

bool Writer::is_beyond_bound(const ReplicaBatch& batch) const {
  if (index_.size() + batch.records.size() <= options_.hashes_max) return false;
  const auto added = std::ranges::count_if(batch.records, [&](const ReplicaRecord& record) {
    const auto* part = std::get_if<PartRecord>(&record);
    return part != nullptr && !part->part.flags.empty() && index_.find(part->digest) == 0;
  });
  return added != 0 && index_.size() + static_cast<std::uint64_t>(added) > options_.hashes_max;
}

Error Writer::full(Error reason, Outage& outage) {
  if (outage.begin()) {
    logger_.warning(LogLine("storage_full")
                        .field("hashes", index_.size())
                        .field("hashes_max", options_.hashes_max)
                        .field("reason", reason.message));
  }
  return reason;
}

RecordNeeds Writer::needs_of(const UpdateGroup& group) const {
  RecordNeeds needs = group.needs();
  // An update of a record on several lists takes a new place before it frees the old one. So growth
  // must leave as many free places as one group can need.
  const std::int64_t growth = needs.flag_sets == 0 ? 0 : group.list_growth();
  if (growth > 0) {
    needs.flag_sets = std::max<std::uint64_t>(
        needs.flag_sets, static_cast<std::uint64_t>(growth) + options_.group_commit_max);
  }
  return needs;
}

Status Writer::commit(UpdateGroup& group) {
  if (index_lacks_) return Error{ErrorCode::kUnavailable, "out of memory until a restart"};
  if (!group.refusal()) return group.refusal();
  group.bury(lost_);
  bool no_room = false;
  Status outcome = within_memory([&]() -> Status {
    auto transaction = table_->begin();
    if (!transaction) return transaction.error();
    if (Status written = group.write(); !written) return written;
    if (Status fits = index_.fits(needs_of(group)); !fits) {
      no_room = true;
      return fits;
    }
    return transaction->commit();
  });
  if (!outcome && !group.lost().empty()) {
    forget(group.lost());
    return Error{ErrorCode::kUnavailable, outcome.error().message};
  }
  if (no_room) return outcome;
  refuses_ = !outcome;
  outcome = log_outcome(std::move(outcome));
  if (!outcome) return Error{ErrorCode::kUnavailable, outcome.error().message};
  SHINGLED_ASSERT(group.lost().empty());  // otherwise `write` would have failed
  lost_.clear();
  if (lists_full_.lasts() && group.list_growth() > 0) lists_full_.end();
  tell_damage(group);
  counters_.commits.fetch_add(1, std::memory_order_relaxed);
  publish(group);
  if (auto watcher = watcher_.lock(); *watcher) (*watcher)();
  return {};
}

void Writer::publish(UpdateGroup& group) {
  const Status shown = within_memory([&]() -> Status {
    group.publish();
    return {};
  });
  if (index_.size() < options_.hashes_max) full_.end();
  if (shown) return;
  // The file has it and the index does not: the next add of the digest would insert a second row.
  index_lacks_ = true;
  refuses_ = true;
  logger_.error(LogLine("storage_out_of_memory")
                    .field("hashes", index_.size())
                    .field("updates", "refused until a restart"));
}

Status Writer::commit(const std::function<void(UpdateGroup&)>& fold) {
  // One attempt finds all rows that are missing by then, but the tool may still be deleting.
  constexpr int kAttempts = 4;
  for (int attempt = 1;; ++attempt) {
    UpdateGroup group(index_, *table_, gone_, now());
    Status outcome = within_memory([&]() -> Status {
      fold(group);
      return commit(group);
    });
    if (group.lost().empty() || attempt == kAttempts) return outcome;
  }
}

void Writer::forget(std::span<const UpdateGroup::LostRow> lost) {
  for (const UpdateGroup::LostRow& row : lost) {
    const std::uint32_t number = index_.find(row.digest);
    if (number == 0) continue;  // reported twice
    index_.forget(number);
    lost_.push_back(row);
  }
  index_.collect();
  logger_.warning(LogLine("storage_rows_gone")
                      .field("file", options_.hashfile)
                      .field("rows", lost.size())
                      .field("first", lost.front().id));
}

void Writer::tell_damage(const UpdateGroup& group) {
  for (const std::string& damage : group.damage()) {
    logger_.error(LogLine("storage_part_dropped").field("reason", damage));
  }
}

Status Writer::log_outcome(Status outcome) {
  if (outcome) {
    if (disk_outage_.end()) logger_.info(LogLine("storage_recovered"));
  } else {
    room_wanted_ = true;
    if (disk_outage_.begin()) {
      logger_.error(LogLine("storage_refused").field("reason", outcome.error().message));
    }
  }
  return outcome;
}

std::uint32_t Writer::now() {
  const TimePoint moment = clock_.now();
  const std::uint32_t wall = unix_seconds(clock_.wall());
  static_cast<void>(may_expire(wall, moment));
  return clock_watch_.time(wall, moment);
}

}  // namespace shingled::storage::engine
