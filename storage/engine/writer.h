#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <thread>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/base/outage.h"
#include "config/options/storage_options.h"
#include "storage/engine/checkpointer.h"
#include "storage/engine/clock_watch.h"
#include "storage/engine/engine_counters.h"
#include "storage/engine/fuzzy_index.h"
#include "storage/engine/update_group.h"
#include "storage/model/update_queue.h"
#include "storage/sqlite/fuzzy_table.h"

namespace shingled::storage::engine {

/// The one thread that changes file and index: takes what has queued up as one group, commits it,
/// shows it to the index, tells the submitters. While it commits, the next group gathers.
///
/// A group the disk refuses is refused as a whole (kUnavailable), the index does not change, and
/// the next group tries again; so the service recovers when the disk does. After a refusal what the
/// WAL holds is brought into the file at once: then the WAL begins anew, and a full disk has room
/// for that much.
///
/// A row that somebody has deleted from the file with a tool is gone: what is taught of its digest
/// then begins anew, and a deletion finds nothing to delete.
///
/// Beyond `hashes_max` what would be a new hash is refused (kLimit), the rest of its group is not;
/// the same of what would be on several lists where the index has no place for that.
/// Where there is no memory a group is refused; should that be known only after the commit, all
/// updates are from then on, until a restart: look-ups go on.
///
/// Between groups it does its housekeeping in steps of a few milliseconds: it walks a slice of the
/// records and forgets the expired ones, gives unused pages of the file back, and sees to it that
/// the Checkpointer keeps the WAL short. While there is more to do, a step follows each group.
/// While a clock that ran far ahead has not proved itself (ClockWatch), nothing is forgotten.
///
/// Threads: one inside, "writer"; the destructor stops it after everything queued was committed.
class Writer {
 public:
  static constexpr std::int64_t kWalPages = 1000;  ///< a checkpoint each: 4 MB, SQLite's default
  static constexpr std::int64_t kWalWarnPages = 16'384;  ///< 64 MB: somebody reads for long

  /// `options.hashes_max` is not 0.
  Writer(const EngineOptions& options, FuzzyIndex& index, std::unique_ptr<sqlite::FuzzyTable> table,
         std::unique_ptr<Checkpointer> checkpointer, Clock& clock, Logger& logger);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  Writer(Writer&&) = delete;
  Writer& operator=(Writer&&) = delete;

  void submit(const Update& update, UpdateDone done);
  /// What a master says; a transaction of its own.
  void submit(ReplicaBatch batch, UpdateDone done);
  /// Calls `watcher` after every commit, on the writer's thread; it must not block. Empty = nobody;
  /// once this returns, the one before is not called any more.
  void watch_commits(std::function<void()> watcher) { *watcher_.lock() = std::move(watcher); }
  [[nodiscard]] const WriterCounters& counters() const { return counters_; }
  [[nodiscard]] std::size_t updates_waiting() { return queue_.size(); }
  [[nodiscard]] const std::string& hashfile() const { return options_.hashfile; }

 private:
  void run();
  void queue(QueuedUpdate pending);
  void commit_all(std::span<const QueuedUpdate> group);
  void commit_updates(std::span<const QueuedUpdate> group);
  void commit_batch(const QueuedUpdate& pending);
  /// Of each update whether it would make a hash beyond `hashes_max`; nothing where none would.
  [[nodiscard]] std::vector<bool> beyond_bound(std::span<const QueuedUpdate> group) const;
  [[nodiscard]] bool is_beyond_bound(const ReplicaBatch& batch) const;
  /// In one transaction; where there is no room for all, in several, without those that need it.
  void commit_fitting(std::span<const QueuedUpdate* const> group);
  /// Says in the log that a bound is reached, once while it is; gives `reason` back.
  Error full(Error reason, Outage& outage);
  /// The room a group must find so that one that does not grow always finds it, too.
  [[nodiscard]] RecordNeeds needs_of(const UpdateGroup& group) const;
  void tell_damage(const UpdateGroup& group);
  void publish(UpdateGroup& group);
  void keep_house();
  /// Whether the time can be believed, so that what has expired by it may be deleted.
  bool may_expire(std::uint32_t now, TimePoint moment);
  /// True: there is more to do at once. As `give_back_slice`.
  bool expire_slice();
  /// True: there is more to do at once.
  bool expire_parts_slice(std::uint32_t now);
  bool give_back_slice();
  void tend_wal();
  /// One transaction and then the index. Where rows are not in the file any more, the index forgets
  /// them and nothing else happens: `group.lost()`. Nothing happens either where the group holds
  /// what its master may not say: the error is that refusal.
  Status commit(UpdateGroup& group);
  /// The same with what `fold` puts into a group, again and again while rows are lost.
  Status commit(const std::function<void(UpdateGroup&)>& fold);
  void forget(std::span<const UpdateGroup::LostRow> lost);
  /// Says in the log when the disk begins to refuse and when it recovers; gives `outcome` back.
  Status told(Status outcome);
  [[nodiscard]] std::uint32_t now() const;

  const EngineOptions options_;
  FuzzyIndex& index_;
  std::unique_ptr<sqlite::FuzzyTable> table_;
  std::unique_ptr<Checkpointer> checkpointer_;  ///< goes before the table, whose end is the WAL's
  Clock& clock_;
  Logger& logger_;
  UpdateQueue queue_;
  WriterCounters counters_;
  Guarded<std::function<void()>> watcher_;
  RecentlyGone gone_;
  std::uint32_t expiry_next_ = 0;  ///< where the walk over the records goes on
  std::int64_t parts_next_ = 0;    ///< where the walk over the parts goes on
  TimePoint expiry_due_{};
  std::optional<ClockWatch> clock_watch_;   ///< from the first slice on
  Outage clock_doubt_;                      ///< said in the log
  std::vector<UpdateGroup::LostRow> lost_;  ///< the next group says what is to be said of them
  bool rows_removed_ = false;               ///< the file may have pages to give back
  std::int64_t wal_due_;                    ///< so many pages in the WAL ask for a checkpoint
  std::int64_t wal_seen_ = 0;
  std::int64_t wal_warn_at_;  ///< pages in the WAL that are worth a warning
  bool more_to_do_ = false;   ///< of the housekeeping
  Outage full_;               ///< said in the log
  Outage lists_full_;         ///< likewise, of places for several lists
  /// The index has not got all that was committed, for want of memory: no update is taken any more.
  bool index_lacks_ = false;
  Outage disk_outage_;        ///< said in the log
  bool room_wanted_ = false;  ///< a checkpoint may make some
  std::jthread thread_;       ///< last: starts when all else is there
};

}  // namespace shingled::storage::engine
