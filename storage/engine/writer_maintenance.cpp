// The part of Writer that does the housekeeping.
#include <algorithm>
#include <chrono>
#include <utility>

#include "storage/engine/writer.h"

namespace shingled::storage::engine {
namespace {

constexpr std::chrono::seconds kExpiryPause{1};  ///< between two slices of the walk
constexpr std::uint32_t kExpiryLooks = 65'536;   ///< records looked at in a slice: about 1 ms
constexpr std::size_t kExpiryRemovals = 256;  ///< records removed in a slice: one short transaction

constexpr std::chrono::seconds kDiskPause{5};  ///< between two tries of a disk that refuses

constexpr std::int64_t kPartLooks = 4096;  ///< parts looked at in a slice

constexpr std::int64_t kGiveBack = 64;  ///< pages given back in a step
constexpr std::int64_t kFreePagesMin =
    256;  ///< kept free for coming adds, besides a sixteenth of the file

}  // namespace

bool Writer::expire_slice() {
  const TimePoint moment = clock_.now();
  if (moment < expiry_due_) return false;
  expiry_due_ = moment + kExpiryPause;
  const RecordStore& records = index_.records();
  const std::uint32_t now = unix_seconds(clock_.wall());
  if (!may_expire(now, moment)) return false;
  const bool more_parts = expire_parts_slice(now);
  if (more_parts) expiry_due_ = moment;
  UpdateGroup gone(index_, *table_, gone_, now);
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

bool Writer::may_expire(std::uint32_t now, TimePoint moment) {
  const bool may = clock_watch_.believes(now, moment);
  index_.believe_until(clock_watch_.certain(moment));
  if (may) {
    if (clock_doubt_.end()) logger_.info(LogLine("storage_clock_believed"));
  } else if (clock_doubt_.begin()) {
    logger_.warning(LogLine("storage_clock_ahead")
                        .field("seconds", clock_watch_.ahead())
                        .field("expiry", "waits until the clock has run on for a day"));
  }
  return may;
}

bool Writer::expire_parts_slice(std::uint32_t now) {
  sqlite::PartTable& parts = table_->replica().parts;
  const auto expire = static_cast<std::uint32_t>(options_.expire.count());
  if (!parts.any() || now <= expire) return false;
  auto walk = parts.updated_until(now - expire - 1, parts_next_, kPartLooks);
  parts_next_ = walk ? walk->next : 0;
  if (!walk) {
    static_cast<void>(log_outcome(walk.error()));
    return false;
  }
  std::vector<std::int64_t>& ids = walk->digest_ids;
  const bool is_full = ids.size() > kExpiryRemovals;
  if (is_full) {
    ids.resize(kExpiryRemovals);
    parts_next_ = ids.back();
  }
  UpdateGroup gone(index_, *table_, gone_, now);
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
  if (!log_outcome(table_->give_back(step)))
    return false;  // tried again when more rows are removed
  counters_.pages_returned.fetch_add(static_cast<std::uint64_t>(step), std::memory_order_relaxed);
  rows_removed_ = true;
  return true;
}

void Writer::maintain_wal() {
  sqlite::Database& database = table_->database();
  const std::int64_t pages = database.wal_pages();
  if (pages < wal_seen_) {  // the WAL has started again from its beginning
    wal_due_ = kWalPages;
    wal_warn_at_ = kWalWarnPages;
  }
  wal_seen_ = pages;
  if (pages >= wal_warn_at_) {
    wal_warn_at_ = pages * 2;
    logger_.warning(LogLine("storage_wal_grows")
                        .field("pages", pages)
                        .field("reason", "a reader has kept the file open for long"));
  }
  if (auto outcome = checkpointer_->take_outcome()) {
    // Little was committed meanwhile. When that is copied, too, the WAL can start again. If it
    // cannot (a tool reads the file), the next try is kWalPages later.
    wal_due_ = pages + kWalPages;
    if (*outcome) outcome = database.checkpoint();
    // A successful checkpoint does not prove that the disk has room for more; a commit does.
    if (!*outcome) {
      static_cast<void>(log_outcome(*std::move(outcome)));
    } else {
      counters_.checkpoints.fetch_add(1, std::memory_order_relaxed);
    }
  } else if (pages >= wal_due_ || (room_wanted_ && pages > 0)) {
    // When all of the WAL is in the file, the WAL starts again in the same place: on a full disk
    // this is the only room.
    room_wanted_ = false;
    checkpointer_->start();
  }
}

void Writer::try_disk() {
  if (!refuses_ || index_lacks_) return;
  const TimePoint moment = clock_.now();
  if (moment < disk_due_) return;
  disk_due_ = moment + kDiskPause;
  refuses_ = !log_outcome(table_->touch());
}

}  // namespace shingled::storage::engine
