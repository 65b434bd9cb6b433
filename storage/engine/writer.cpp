#include "storage/engine/writer.h"

#include <pthread.h>

#include <chrono>
#include <utility>

namespace shingled::storage {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPatience{500};           ///< longest sleep of an idle writer
constexpr std::chrono::seconds kExpiryPause{1};  ///< between two slices of the walk
constexpr std::uint32_t kExpiryLooks = 65'536;   ///< records looked at in a slice: about 1 ms
constexpr std::size_t kExpiryRemovals = 512;     ///< removed in a slice: one short transaction

}  // namespace

Writer::Writer(const EngineOptions& options, FuzzyIndex& index, std::unique_ptr<FuzzyTable> table,
               Clock& clock, Logger& logger)
    : options_(options),
      index_(index),
      table_(std::move(table)),
      clock_(clock),
      logger_(logger),
      queue_(options.update_queue_max),
      thread_([this] { run(); }) {
  ::pthread_setname_np(thread_.native_handle(), "writer");
}

Writer::~Writer() { queue_.close(); }

void Writer::submit(const Update& update, UpdateDone done) {
  QueuedUpdate pending{update, std::move(done)};
  if (queue_.push(pending)) return;
  counters_.refused.fetch_add(1, std::memory_order_relaxed);
  pending.done(Error{ErrorCode::kLimit, "too many updates are waiting"});
}

void Writer::run() {
  const milliseconds gather =
      options_.durability == Durability::kSync ? options_.sync : milliseconds{0};
  while (!queue_.finished()) {
    auto group = queue_.take(options_.group_commit_max, kPatience, gather);
    if (!group.empty()) commit_updates(group);
    if (options_.expire.count() > 0) expire_slice();
  }
}

void Writer::commit_updates(const std::vector<QueuedUpdate>& group) {
  UpdateGroup changes(index_, *table_, now());
  std::uint64_t adds = 0;
  for (const QueuedUpdate& pending : group) {
    changes.fold(pending.update);
    if (pending.update.kind == Update::Kind::kAdd) ++adds;
  }
  const Status outcome = commit(changes);
  if (outcome) {
    counters_.added.fetch_add(adds, std::memory_order_relaxed);
    counters_.deleted.fetch_add(group.size() - adds, std::memory_order_relaxed);
  } else {
    counters_.refused.fetch_add(group.size(), std::memory_order_relaxed);
  }
  for (const QueuedUpdate& pending : group) pending.done(outcome);
}

Status Writer::commit(UpdateGroup& group) {
  if (index_.room() < group.size()) return Error{ErrorCode::kLimit, "the index is full"};
  const auto attempt = [&]() -> Status {
    auto transaction = table_->begin();
    if (!transaction) return transaction.error();
    if (Status written = group.write(); !written) return written;
    return transaction->commit();
  };
  if (Status outcome = attempt(); !outcome) {
    if (!std::exchange(disk_refuses_, true)) {
      logger_.error(LogLine("storage_refused").field("reason", outcome.error().message));
    }
    return Error{ErrorCode::kUnavailable, outcome.error().message};
  }
  if (std::exchange(disk_refuses_, false)) logger_.info(LogLine("storage_recovered"));
  counters_.commits.fetch_add(1, std::memory_order_relaxed);
  group.publish();
  return {};
}

void Writer::expire_slice() {
  const TimePoint moment = clock_.now();
  if (moment < expiry_due_) return;
  expiry_due_ = moment + kExpiryPause;
  const RecordStore& records = index_.records();
  const std::uint32_t now = this->now();
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
  if (gone.size() == 0) return;
  const std::size_t count = gone.size();
  if (commit(gone)) counters_.expired.fetch_add(count, std::memory_order_relaxed);
}

std::uint32_t Writer::now() const {
  return static_cast<std::uint32_t>(clock_.wall().time_since_epoch().count());
}

}  // namespace shingled::storage
