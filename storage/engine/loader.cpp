#include "storage/engine/loader.h"

#include <pthread.h>

#include <condition_variable>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "config/base/guarded.h"
#include "storage/engine/fuzzy_index.h"
#include "storage/sqlite/hashes/fuzzy_table.h"

namespace shingled::storage::engine {
namespace {

using Rows = std::vector<FuzzyIndex::NewRecord>;

/// Rows in one portion, 28 MB. The larger a portion, the more of its entries are in the same shard
/// of a map.
constexpr std::size_t kRows = 65'536;
constexpr std::uint64_t kProgressRows = 1'000'000;  ///< rows per log line

/// Hands one portion of rows from the thread that reads to the thread that adds.
class Handover {
 public:
  /// Waits until the portion before is taken. False: the taker has gone, so reading on is useless.
  bool put(Rows rows) {
    MutexLock lock(mutex_);
    changed_.wait(lock.as_lock(),
                  [this]() SHINGLED_REQUIRES(mutex_) { return !rows_ || taker_gone_; });
    if (taker_gone_) return false;
    rows_ = std::move(rows);
    changed_.notify_one();
    return true;
  }
  void end(Status outcome) {
    const MutexLock lock(mutex_);
    outcome_ = std::move(outcome);
    changed_.notify_one();
  }
  /// Waits for the next portion; nullopt after the last one.
  std::optional<Rows> take() {
    MutexLock lock(mutex_);
    changed_.wait(lock.as_lock(), [this]() SHINGLED_REQUIRES(mutex_) { return rows_ || outcome_; });
    changed_.notify_one();
    return std::exchange(rows_, std::nullopt);
  }
  void leave() {
    const MutexLock lock(mutex_);
    taker_gone_ = true;
    changed_.notify_one();
  }
  /// How reading ended. Call it after the last portion.
  [[nodiscard]] Status outcome() {
    const MutexLock lock(mutex_);
    return outcome_.value_or(Status());
  }

 private:
  Mutex mutex_;
  std::condition_variable changed_;
  std::optional<Rows> rows_ SHINGLED_GUARDED_BY(mutex_);
  std::optional<Status> outcome_ SHINGLED_GUARDED_BY(mutex_);
  bool taker_gone_ SHINGLED_GUARDED_BY(mutex_) = false;
};

/// Tells the reader that nobody takes rows any more, however the loading ends.
class TakerLeaves {
 public:
  explicit TakerLeaves(Handover& handover) : handover_(handover) {}
  ~TakerLeaves() { handover_.leave(); }
  TakerLeaves(const TakerLeaves&) = delete;
  TakerLeaves& operator=(const TakerLeaves&) = delete;
  TakerLeaves(TakerLeaves&&) = delete;
  TakerLeaves& operator=(TakerLeaves&&) = delete;

 private:
  Handover& handover_;
};

Error out_of_memory(const std::string& path) {
  return {ErrorCode::kLimit, path + ": there is not enough memory for all its hashes"};
}

void read_rows(sqlite::FuzzyTable& table, Handover& handover) {
  Rows rows;
  rows.reserve(kRows);
  Status outcome = table.for_each([&](const sqlite::FuzzyRow& row) {
    rows.push_back({{row.digest, row.shingles}, {row.id, row.flags, row.created, row.updated}});
    if (rows.size() < kRows) return true;
    const bool goes_on = handover.put(std::exchange(rows, {}));
    rows.reserve(kRows);
    return goes_on;
  });
  if (outcome && !rows.empty()) handover.put(std::move(rows));
  handover.end(std::move(outcome));
}

Status add(const Rows& rows, FuzzyIndex& index, const std::string& path) {
  RecordNeeds needs{.records = rows.size()};
  for (const FuzzyIndex::NewRecord& row : rows) needs.count_lists(row.state.flags);
  if (Status fits = index.fits(needs); !fits) {
    return Error{ErrorCode::kLimit, path + ": " + fits.error().message};
  }
  const std::size_t added = index.add(rows);
  index.collect();
  if (added == rows.size()) return {};
  return Error{
      ErrorCode::kCorrupt,
      path + ": digests row " + std::to_string(rows[added].state.row) + " has a digest twice"};
}

}  // namespace

Status load(sqlite::FuzzyTable& table, FuzzyIndex& index, const LoadWatcher& watcher,
            Logger& logger) try {
  const auto count = table.count();
  if (!count) return count.error();
  index.reserve(static_cast<std::uint64_t>(*count));
  Handover handover;
  std::jthread reader([&] {
    try {
      read_rows(table, handover);
    } catch (const std::bad_alloc&) {
      handover.end(out_of_memory(table.database().path()));
    }
  });
  const TakerLeaves taker_leaves(handover);
  ::pthread_setname_np(reader.native_handle(), "load");
  std::uint64_t progress = 0;
  while (const auto rows = handover.take()) {
    if (Status added = add(*rows, index, table.database().path()); !added) return added;
    if (watcher && !watcher(index.size(), static_cast<std::uint64_t>(*count))) {
      return Error{ErrorCode::kUnavailable, table.database().path() + ": loading was stopped"};
    }
    if (index.size() / kProgressRows == progress) continue;
    progress = index.size() / kProgressRows;
    logger.info(LogLine("storage_loading").field("rows", index.size()).field("of", *count));
  }
  return handover.outcome();
} catch (const std::bad_alloc&) {
  return out_of_memory(table.database().path());
}

}  // namespace shingled::storage::engine
