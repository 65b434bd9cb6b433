#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

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
#include "storage/sqlite/hashes/fuzzy_table.h"

namespace shingled::storage::engine {

/// The only thread that changes the file and the index. It takes all queued updates as one group,
/// commits it, shows it to the index, and tells the submitters. The next group gathers meanwhile.
///
/// If the disk refuses a group, the whole group is refused (kUnavailable), the index does not
/// change, and the next group tries again. So the service recovers when the disk does. After a
/// refusal the content of the WAL is copied into the file at once: then the WAL starts again from
/// its beginning, and a full disk has room for that much.
///
/// If a row was deleted from the file with a tool, the digest counts as not stored: an add starts
/// anew, and a delete has nothing to do.
///
/// An update that would make more than `hashes_max` hashes is refused (kLimit); the rest of its
/// group is not. The same holds for an update that would put one more hash on several lists when
/// the index has no place for it.
/// A group is refused if there is not enough memory. If memory runs out only after the commit, all
/// later updates are refused until a restart; look-ups still work.
///
/// Between groups the writer does housekeeping in steps of a few milliseconds: it looks at some
/// records and removes the expired ones, gives unused pages of the file back, and makes the
/// Checkpointer keep the WAL short. While there is more to do, each group is followed by a step.
/// While the clock is in doubt (ClockWatch), nothing expires.
///
/// One class in two files, commits and housekeeping: both are the steps of one thread on one table,
/// index and clock, and a class for the second would be given all of them.
///
/// Threads: one inside, "writer"; the destructor stops it after everything queued is committed.
class Writer {
 public:
  static constexpr std::int64_t kWalPages = 1000;  ///< pages per checkpoint: 4 MB, SQLite's default
  static constexpr std::int64_t kWalWarnPages = 16'384;  ///< 64 MB: a reader takes long

  /// `options.hashes_max` and `options.group_commit_max` are not 0.
  Writer(const EngineOptions& options, FuzzyIndex& index, std::unique_ptr<sqlite::FuzzyTable> table,
         std::unique_ptr<Checkpointer> checkpointer, Clock& clock, Logger& logger);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  Writer(Writer&&) = delete;
  Writer& operator=(Writer&&) = delete;

  void submit(const Update& update, UpdateDone done);
  /// Queues a batch from a master; it gets a transaction of its own.
  void submit(ReplicaBatch batch, UpdateDone done);
  /// Calls `watcher` after every commit, on the writer's thread; it must not block. An empty
  /// function stops that. After this returns, the watcher before is not called any more.
  void watch_commits(std::function<void()> watcher) { *watcher_.lock() = std::move(watcher); }
  [[nodiscard]] const WriterCounters& counters() const { return counters_; }
  /// False from a group that the disk refused to one that it took. For any thread.
  [[nodiscard]] bool takes_updates() const { return !refuses_; }
  [[nodiscard]] std::size_t updates_waiting() { return queue_.size(); }
  [[nodiscard]] const std::string& hashfile() const { return options_.hashfile; }

 private:
  void run();
  void queue(QueuedUpdate pending);
  void commit_all(std::span<const QueuedUpdate> group);
  void commit_updates(std::span<const QueuedUpdate> group);
  void commit_batch(const QueuedUpdate& pending);
  /// For each update, whether it would make a hash beyond `hashes_max`; empty if none would.
  [[nodiscard]] std::vector<bool> beyond_bound(std::span<const QueuedUpdate> group) const;
  [[nodiscard]] bool is_beyond_bound(const ReplicaBatch& batch) const;
  /// Commits in one transaction. If the index has no room for all, commits in several, without the
  /// updates that need the room.
  void commit_fitting(std::span<const QueuedUpdate* const> group);
  /// Logs that a bound is reached, once until it is not reached any more. Returns `reason`.
  Error full(Error reason, Outage& outage);
  /// The room that a group must find, so that a group without growth always finds room, too.
  [[nodiscard]] RecordNeeds needs_of(const UpdateGroup& group) const;
  void tell_damage(const UpdateGroup& group);
  void publish(UpdateGroup& group);
  void run_maintenance();
  /// Whether the clock can be believed, so that expired records may be deleted.
  bool may_expire(std::uint32_t now, TimePoint moment);
  /// True: there is more to do at once. The same for `give_back_slice`.
  bool expire_slice();
  bool expire_parts_slice(std::uint32_t now);
  bool give_back_slice();
  void maintain_wal();
  /// While the disk refuses: finds out whether it takes something again, so that nobody waits for
  /// the next update to know.
  void try_disk();
  /// Commits in one transaction and then updates the index. If rows are missing in the file, the
  /// index forgets them and nothing else happens; `group.lost()` names them. Nothing happens either
  /// if the master may not send the batch: the error is that refusal.
  Status commit(UpdateGroup& group);
  /// Commits a group that `fold` fills. Tries again while rows are lost, four times at most.
  Status commit(const std::function<void(UpdateGroup&)>& fold);
  void forget(std::span<const UpdateGroup::LostRow> lost);
  /// Logs when the disk begins to refuse and when it recovers. Returns `outcome`.
  Status log_outcome(Status outcome);
  /// The time of what is done now (ClockWatch).
  std::uint32_t now();

  const EngineOptions options_;
  FuzzyIndex& index_;
  std::unique_ptr<sqlite::FuzzyTable> table_;
  std::unique_ptr<Checkpointer> checkpointer_;  ///< closes before the table, which ends the WAL
  Clock& clock_;
  Logger& logger_;
  UpdateQueue queue_;
  WriterCounters counters_;
  Guarded<std::function<void()>> watcher_;
  RecentlyGone gone_;
  std::uint32_t expiry_next_ = 0;  ///< where the walk over the records continues
  std::int64_t parts_next_ = 0;    ///< where the walk over the parts continues
  TimePoint expiry_due_{};
  ClockWatch clock_watch_;
  Outage clock_doubt_;                      ///< logged: the clock is in doubt
  std::vector<UpdateGroup::LostRow> lost_;  ///< the next group buries them
  bool rows_removed_ = false;               ///< the file may have pages to give back
  std::int64_t wal_due_;                    ///< pages in the WAL that start a checkpoint
  std::int64_t wal_seen_ = 0;
  std::int64_t wal_warn_at_;  ///< pages in the WAL that cause a warning
  bool more_to_do_ = false;   ///< there is more housekeeping
  Outage full_;               ///< logged: `hashes_max` is reached
  Outage lists_full_;         ///< logged: no place for more hashes on several lists
  /// The index misses something that was committed, because memory ran out. All updates are
  /// refused.
  bool index_lacks_ = false;
  Outage disk_outage_;    ///< logged: the disk refuses
  TimePoint disk_due_{};  ///< when it is tried next
  /// The last commit failed, or no more follows. A checkpoint that fails says nothing: it may have
  /// begun before the disk recovered.
  std::atomic<bool> refuses_{false};
  bool room_wanted_ = false;  ///< a checkpoint may make room on the disk
  std::jthread thread_;       ///< last: its thread uses all other members
};

}  // namespace shingled::storage::engine
