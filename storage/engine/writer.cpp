#include "storage/engine/writer.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <unordered_set>
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

constexpr std::int64_t kWalPages = 1000;  ///< a checkpoint each: 4 MB, as SQLite does by default
constexpr std::int64_t kWalWarnPages = 16'384;  ///< 64 MB: somebody reads the file for long
constexpr std::int64_t kGiveBack = 64;          ///< pages given back in a step
constexpr std::int64_t kFreePagesMin = 256;  ///< and a sixteenth of the file: kept for coming adds

/// What `work` says; that there was no memory for it is an error like others.
template <typename Work>
Status within_memory(const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kLimit, "out of memory"};
  }
}

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
      wal_warn_at_(kWalWarnPages),
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
  while (!queue_.finished()) {
    const milliseconds patience = more_to_do_ ? milliseconds{0} : kPatience;
    const Status done = within_memory([&]() -> Status {
      commit_all(queue_.take(options_.group_commit_max, patience, gather));
      return {};
    });
    // They wait in the queue still; until there is memory, nothing else can be done.
    if (!done) std::this_thread::sleep_for(kPatience);
    keep_house();
  }
}

void Writer::keep_house() {
  more_to_do_ = false;
  const Status kept = within_memory([this]() -> Status {
    const bool more_expired = options_.expire.count() > 0 && expire_slice();
    const bool more_to_give = give_back_slice();
    more_to_do_ = more_expired || more_to_give;
    tend_wal();
    return {};
  });
  if (!kept) static_cast<void>(told(kept));
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
  if (is_beyond_bound(*pending.batch)) return pending.done(full());
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
  const Status judged = within_memory([&]() -> Status {
    refused = beyond_bound(group);
    refused.resize(group.size());
    return {};
  });
  if (!judged) {
    for (const QueuedUpdate& pending : group) pending.done(judged);
    return;
  }
  std::uint64_t adds = 0;
  std::uint64_t deletes = 0;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (!refused[i]) ++(group[i].update.kind == Update::Kind::kAdd ? adds : deletes);
  }
  const TimePoint begun = clock_.now();
  const Status outcome = commit([&](UpdateGroup& changes) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (!refused[i]) changes.fold(group[i].update);
    }
  });
  if (outcome) {
    counters_.commit_time.observe(clock_.now() - begun);
    counters_.commit_size.observe(group.size());
    counters_.added.fetch_add(adds, std::memory_order_relaxed);
    counters_.deleted.fetch_add(deletes, std::memory_order_relaxed);
    rows_removed_ |= deletes != 0;
  } else {
    counters_.refused.fetch_add(adds + deletes, std::memory_order_relaxed);
  }
  const std::uint64_t beyond = group.size() - adds - deletes;
  counters_.refused.fetch_add(beyond, std::memory_order_relaxed);
  const Status no_room = beyond == 0 ? Status() : Status(full());
  for (std::size_t i = 0; i < group.size(); ++i) group[i].done(refused[i] ? no_room : outcome);
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

Error Writer::full() {
  if (!std::exchange(is_full_, true)) {
    logger_.warning(LogLine("storage_full")
                        .field("hashes", index_.size())
                        .field("hashes_max", options_.hashes_max));
  }
  return {ErrorCode::kLimit, "as many hashes as storage.hashes_max allows"};
}

Status Writer::commit(UpdateGroup& group) {
  if (index_lacks_) return Error{ErrorCode::kUnavailable, "out of memory until a restart"};
  if (!group.refusal()) return group.refusal();
  group.bury(lost_);
  Status outcome = within_memory([&]() -> Status {
    auto transaction = table_->begin();
    if (!transaction) return transaction.error();
    if (Status written = group.write(); !written) return written;
    if (Status fits = index_.fits(group.needs()); !fits) return fits;
    return transaction->commit();
  });
  if (!outcome && !group.lost().empty()) {
    forget(group.lost());
    return Error{ErrorCode::kUnavailable, outcome.error().message};
  }
  outcome = told(std::move(outcome));
  if (!outcome) return Error{ErrorCode::kUnavailable, outcome.error().message};
  lost_.clear();
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
  if (is_full_ && index_.size() < options_.hashes_max) is_full_ = false;
  if (shown) return;
  // The file has it and the index does not know: the next add of the digest would make it twice.
  index_lacks_ = true;
  logger_.error(LogLine("storage_out_of_memory")
                    .field("hashes", index_.size())
                    .field("updates", "refused until a restart"));
}

Status Writer::commit(const std::function<void(UpdateGroup&)>& fold) {
  // One attempt finds all rows that are gone by then; a tool may be at it still.
  constexpr int kAttempts = 4;
  for (int attempt = 1;; ++attempt) {
    UpdateGroup group(index_, *table_, now());
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
  if (pages < wal_seen_) {  // it has begun anew
    wal_due_ = kWalPages;
    wal_warn_at_ = kWalWarnPages;
  }
  wal_seen_ = pages;
  if (pages >= wal_warn_at_) {
    wal_warn_at_ = pages * 2;
    logger_.warning(LogLine("storage_wal_grows")
                        .field("pages", pages)
                        .field("reason", "somebody has been reading the file for long"));
  }
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
