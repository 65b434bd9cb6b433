#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/base/outage.h"
#include "config/base/random.h"
#include "config/metrics/counter_table.h"
#include "storage/model/update_queue.h"
#include "storage/redis/hashes/update_sender.h"
#include "storage/sqlite/hashes/update_journal.h"

namespace shingled::storage::redis {

/// The counters of the writer. A new counter is a field and its line in `table`.
template <typename Number>
struct RedisWriterCountersOf {
  Number added{};      ///< additions made
  Number deleted{};    ///< deletions made
  Number refused{};    ///< updates answered with an error
  Number journaled{};  ///< those of added and deleted that were acknowledged by the journal
  Number dropped{};    ///< those of journaled that the database refused later
  Number waiting{};    ///< updates in the journal now
  Number refreshed{};  ///< records whose life was prolonged because they were found

  static constexpr auto table() {
    using Counters = RedisWriterCountersOf;
    return std::to_array<CounterLine<Counters, Number>>({
        {&Counters::added, {"shingled_storage_added", "Additions committed."}},
        {&Counters::deleted, {"shingled_storage_deleted", "Deletions committed."}},
        {&Counters::refused, {"shingled_storage_refused", "Updates answered with an error."}},
        {&Counters::journaled,
         {"shingled_redis_journaled", "Updates acknowledged by the journal on disk."}},
        {&Counters::dropped,
         {"shingled_redis_dropped", "Updates of the journal that Redis refused."}},
        {&Counters::waiting,
         {"shingled_redis_waiting", "Updates in the journal."},
         {},
         {},
         MetricFamily::Kind::kGauge},
        {&Counters::refreshed,
         {"shingled_redis_refreshed", "Hashes whose life was prolonged because they were found."}},
    });
  }
};
static_assert(kHasWholeTable<RedisWriterCountersOf<std::uint64_t>>);

/// The counters while the writer runs.
/// Threads: any thread may read.
struct RedisWriterCounters : RedisWriterCountersOf<std::atomic<std::uint64_t>> {
  std::atomic<std::uint64_t> refreshes_dropped{0};  ///< too many at once, or Redis was away
  std::atomic<std::uint64_t> count{0};              ///< adds minus deletes when last read
};

/// The counters of the store since it was opened.
struct RedisCounters : RedisWriterCountersOf<std::uint64_t> {
  bool connected = false;         ///< whether a server can be asked
  std::uint64_t misses_away = 0;  ///< questions without an answer because no server was there
};

struct RedisWriterOptions {
  std::chrono::milliseconds timeout{500};  ///< for the reply to a group
  std::uint32_t queue_max = 65'536;        ///< updates waiting; more are refused
  std::size_t journal_max = 0;             ///< updates in the journal; more are refused
  std::chrono::seconds expire{0};          ///< 0 = hashes never expire
  /// Called with the digest of each update that came from the journal; may be empty.
  std::function<void(const Digest&)> delivered;
};

/// The one thread that changes the database. It takes the queued updates as a group, sends them,
/// and calls the submitters back when the server has answered.
///
/// While no server answers, groups go into the journal on the disk and are acknowledged then. To
/// keep the order, all later groups also go there until the journal is empty again. The updates in
/// the journal are sent, oldest first, as soon as a server is back, and also after a restart. An
/// update whose reply was lost is sent again; the database recognises it by its name.
///
/// Without a journal, or with a full one, an update that cannot be sent is refused. It may have
/// been made; if the client repeats it, it counts once.
/// Threads: one inside, "redis"; the destructor stops it when every queued update was sent, is in
/// the journal or was refused.
class RedisWriter {
 public:
  static constexpr std::size_t kGroupMax = 256;       ///< updates in one round trip
  static constexpr std::size_t kRefreshesMax = 1024;  ///< refreshes waiting; more are dropped
  /// The least pause between two refreshes of one record, unless its expiry is shorter than ten
  /// such pauses.
  static constexpr std::chrono::seconds kRefreshPauseMin{60};
  /// The most refreshes of one record during its expiry time.
  static constexpr int kRefreshesOfExpiry = 1000;
  static constexpr std::chrono::seconds kCountPause{5};  ///< between two reads of the counter

  /// `journal` may be null.
  RedisWriter(const RedisWriterOptions& options, std::unique_ptr<UpdateSender> sender,
              std::unique_ptr<sqlite::UpdateJournal> journal, Clock& clock, Random& random,
              Logger& logger);
  ~RedisWriter();
  RedisWriter(const RedisWriter&) = delete;
  RedisWriter& operator=(const RedisWriter&) = delete;
  RedisWriter(RedisWriter&&) = delete;
  RedisWriter& operator=(RedisWriter&&) = delete;

  void submit(Update update, UpdateDone done);
  /// Prolongs the life of a record that was found, soon but not more often than useful. `asked`:
  /// the shingles of the question; may be null.
  void refresh(const Digest& digest, const Shingles* asked);
  [[nodiscard]] const RedisWriterCounters& counters() const { return counters_; }

 private:
  struct Refreshes {
    std::vector<Fingerprint> waiting;
    RecentIds recent;
  };

  void run();
  void send_group(const std::vector<QueuedUpdate>& group);
  /// Puts a group into the journal as far as it has room, and refuses the rest.
  void keep(const std::vector<QueuedUpdate>& group, const Error& reason);
  /// Sends the oldest updates of the journal. Returns true if there are more to send at once.
  bool deliver();
  void note_waiting();
  void finish(const QueuedUpdate& queued, const Status& outcome);
  void send_refreshes();
  void read_count();
  [[nodiscard]] std::uint32_t now() const;
  [[nodiscard]] TimePoint deadline() const { return clock_.now() + options_.timeout; }

  const RedisWriterOptions options_;
  std::unique_ptr<UpdateSender> sender_;
  std::unique_ptr<sqlite::UpdateJournal> journal_;
  Clock& clock_;
  Random& random_;
  Logger& logger_;
  UpdateQueue queue_;
  Guarded<Refreshes> refreshes_;
  RedisWriterCounters counters_;
  TimePoint count_due_{};
  Outage outage_;        ///< lasts while the journal is in use
  std::jthread thread_;  ///< last: starts when all other members are there
};

}  // namespace shingled::storage::redis
