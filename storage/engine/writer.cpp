#include "storage/engine/writer.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

namespace shingled::storage {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPatience{500};           ///< longest sleep of an idle writer
constexpr std::chrono::seconds kExpiryPause{1};  ///< between two slices of the walk
constexpr std::uint32_t kExpiryLooks = 65'536;   ///< records looked at in a slice: about 1 ms
constexpr std::size_t kExpiryRemovals = 256;     ///< removed in a slice: one short transaction

constexpr std::int64_t kPartLooks = 4096;  ///< parts looked at in a slice, likewise

constexpr std::int64_t kWalPages = 1000;     ///< a checkpoint each: 4 MB, as SQLite does by default
constexpr std::int64_t kGiveBack = 64;       ///< pages given back in a step
constexpr std::int64_t kFreePagesMin = 256;  ///< and a sixteenth of the file: kept for coming adds

}  // namespace

Writer::Writer(const EngineOptions& options, FuzzyIndex& index, std::unique_ptr<FuzzyTable> table,
               std::unique_ptr<Checkpointer> checkpointer, Clock& clock, Logger& logger)
    : options_(options),
      index_(index),
      table_(std::move(table)),
      checkpointer_(std::move(checkpointer)),
      clock_(clock),
      logger_(logger),
      queue_(options.update_queue_max),
      wal_due_(kWalPages),
      thread_([this] { run(); }) {
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
  bool more_to_do = false;
  while (!queue_.finished()) {
    auto group =
        queue_.take(options_.group_commit_max, more_to_do ? milliseconds{0} : kPatience, gather);
    commit_all(group);
    more_to_do = options_.expire.count() > 0 && expire_slice();
    more_to_do |= give_back_slice();
    tend_wal();
  }
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
  const auto adds =
      static_cast<std::uint64_t>(std::ranges::count_if(group, [](const QueuedUpdate& pending) {
        return pending.update.kind == Update::Kind::kAdd;
      }));
  const TimePoint begun = clock_.now();
  const Status outcome = commit([&](UpdateGroup& changes) {
    for (const QueuedUpdate& pending : group) changes.fold(pending.update);
  });
  if (outcome) {
    counters_.commit_time.observe(clock_.now() - begun);
    counters_.commit_size.observe(group.size());
    counters_.added.fetch_add(adds, std::memory_order_relaxed);
    counters_.deleted.fetch_add(group.size() - adds, std::memory_order_relaxed);
    rows_removed_ |= group.size() > adds;
  } else {
    counters_.refused.fetch_add(group.size(), std::memory_order_relaxed);
  }
  for (const QueuedUpdate& pending : group) pending.done(outcome);
}

Status Writer::commit(UpdateGroup& group) {
  if (index_.room() < group.size()) return Error{ErrorCode::kLimit, "the index is full"};
  group.bury(lost_);
  const auto attempt = [&]() -> Status {
    auto transaction = table_->begin();
    if (!transaction) return transaction.error();
    if (Status written = group.write(); !written) return written;
    return transaction->commit();
  };
  Status outcome = attempt();
  if (!outcome && !group.lost().empty()) {
    forget(group.lost());
    return Error{ErrorCode::kUnavailable, outcome.error().message};
  }
  outcome = told(std::move(outcome));
  if (!outcome) return Error{ErrorCode::kUnavailable, outcome.error().message};
  lost_.clear();
  counters_.commits.fetch_add(1, std::memory_order_relaxed);
  group.publish();
  if (auto watcher = watcher_.lock(); *watcher) (*watcher)();
  return {};
}

Status Writer::commit(const std::function<void(UpdateGroup&)>& fold) {
  // One attempt finds all rows that are gone by then; a tool may be at it still.
  constexpr int kAttempts = 4;
  for (int attempt = 1;; ++attempt) {
    UpdateGroup group(index_, *table_, now());
    fold(group);
    Status outcome = commit(group);
    if (group.lost().empty() || attempt == kAttempts) return outcome;
  }
}

void Writer::forget(std::span<const UpdateGroup::LostRow> lost) {
  for (const UpdateGroup::LostRow& row : lost) {
    const std::uint32_t number = index_.find(row.digest);
    if (number == 0) continue;  // told of twice
    index_.forget(number);
    lost_.push_back(row);
  }
  index_.collect();
  logger_.warning(LogLine("storage_rows_gone")
                      .field("file", options_.hashfile)
                      .field("rows", lost.size())
                      .field("first", lost.front().id));
}

Status Writer::told(Status outcome) {
  if (outcome) {
    if (std::exchange(disk_refuses_, false)) logger_.info(LogLine("storage_recovered"));
  } else if (!std::exchange(disk_refuses_, true)) {
    logger_.error(LogLine("storage_refused").field("reason", outcome.error().message));
  }
  return outcome;
}

bool Writer::expire_slice() {
  const TimePoint moment = clock_.now();
  if (moment < expiry_due_) return false;
  expiry_due_ = moment + kExpiryPause;
  const RecordStore& records = index_.records();
  const std::uint32_t now = this->now();
  const bool more_parts = expire_parts_slice(now);
  if (more_parts) expiry_due_ = moment;
  UpdateGroup gone(index_, *table_, now);
  for (std::uint32_t looks = 0; looks < kExpiryLooks && gone.size() < kExpiryRemovals; ++looks) {
    if (expiry_next_ >= records.number_end()) {
      expiry_next_ = 0;
      break;
    }
    const std::uint32_t number = expiry_next_++;
    if (records.is_live(number) && index_.is_expired(records.updated(number), now)) {
      gone.expire(number);
    }
  }
  const std::size_t count = gone.size();
  if (count == 0 || !commit(gone)) return more_parts;
  counters_.expired.fetch_add(gone.removed(), std::memory_order_relaxed);
  rows_removed_ = true;
  if (count < kExpiryRemovals) return more_parts;
  expiry_due_ = moment;
  return true;
}

bool Writer::expire_parts_slice(std::uint32_t now) {
  PartTable& parts = table_->replica().parts;
  const auto expire = static_cast<std::uint32_t>(options_.expire.count());
  if (!parts.any() || now <= expire) return false;
  auto walk = parts.updated_until(now - expire - 1, parts_next_, kPartLooks);
  parts_next_ = walk ? walk->next : 0;
  if (!walk) {
    static_cast<void>(told(walk.error()));
    return false;
  }
  std::vector<std::int64_t>& ids = walk->digest_ids;
  const bool is_full = ids.size() > kExpiryRemovals;
  if (is_full) {
    ids.resize(kExpiryRemovals);
    parts_next_ = ids.back();
  }
  UpdateGroup gone(index_, *table_, now);
  for (const std::int64_t id : ids) {
    if (const auto row = table_->row(id)) gone.expire_parts(row->digest);
  }
  if (gone.size() == 0 || !commit(gone)) return false;
  counters_.expired.fetch_add(gone.removed(), std::memory_order_relaxed);
  rows_removed_ = true;
  return is_full;
}

bool Writer::give_back_slice() {
  if (!rows_removed_) return false;
  rows_removed_ = false;
  const auto unused = table_->free_pages();
  const auto pages = table_->pages();
  if (!unused || !pages) return false;
  const std::int64_t surplus = *unused - *pages / 16 - kFreePagesMin;
  if (surplus <= 0) return false;
  const std::int64_t step = std::min(surplus, kGiveBack);
  if (!told(table_->give_back(step))) return false;  // and again when more rows are gone
  counters_.pages_returned.fetch_add(static_cast<std::uint64_t>(step), std::memory_order_relaxed);
  rows_removed_ = true;
  return true;
}

void Writer::tend_wal() {
  Database& database = table_->database();
  const std::int64_t pages = database.wal_pages();
  if (pages < wal_seen_) wal_due_ = kWalPages;  // it has begun anew
  wal_seen_ = pages;
  if (auto outcome = checkpointer_->take_outcome()) {
    // What was committed meanwhile is little. Once it is in the file, too, the WAL can begin anew;
    // where it cannot (a tool reads the file), it is tried again so many pages later.
    wal_due_ = pages + kWalPages;
    if (*outcome) outcome = database.checkpoint();
    if (told(*std::move(outcome))) counters_.checkpoints.fetch_add(1, std::memory_order_relaxed);
  } else if (pages >= wal_due_) {
    checkpointer_->start();
  }
}

std::uint32_t Writer::now() const {
  return static_cast<std::uint32_t>(clock_.wall().time_since_epoch().count());
}

}  // namespace shingled::storage
