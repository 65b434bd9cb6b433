#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/base/outage.h"
#include "config/base/random.h"
#include "storage/model/recent_names.h"
#include "storage/model/update_queue.h"
#include "storage/redis_store/redis_counters.h"
#include "storage/redis_store/update_sender.h"
#include "storage/sqlite/update_journal.h"

namespace shingled::storage::redis_store {

struct RedisWriterOptions {
  std::chrono::milliseconds timeout{500};  ///< for the server's answer to a group
  std::uint32_t queue_max = 65'536;        ///< updates waiting; more are refused
  std::size_t journal_max = 0;             ///< updates in the journal; more are refused
  std::chrono::seconds expire{0};          ///< 0 = never
  /// Called with the digest of each update that came from the journal; may be empty.
  std::function<void(const Digest&)> delivered;
};

/// The one thread that changes the database: takes what has queued up as one group, sends it, tells
/// the submitters when the server has answered.
///
/// While no server answers, a group goes into the journal on the disk instead and is acknowledged
/// then; so does everything after it until the journal is empty again, for order matters. What is
/// in the journal is sent, oldest first, as soon as a server is back, and also after a restart. An
/// update whose answer was lost is sent again: the database knows it by its name.
///
/// Without a journal, or with a full one, an update that cannot be sent is refused. It may have
/// been made; a client that repeats it is counted once.
/// Threads: one inside, "redis"; the destructor stops it after everything queued was sent, is in
/// the journal or was refused.
class RedisWriter {
 public:
  static constexpr std::size_t kGroupMax = 256;       ///< updates in one round trip
  static constexpr std::size_t kRefreshesMax = 1024;  ///< waiting; more are dropped
  /// Of one record: the least pause, unless its expiry is shorter than ten of them.
  static constexpr std::chrono::seconds kRefreshPauseMin{60};
  /// Of one record, at most, in the time after which it expires.
  static constexpr int kRefreshesOfExpiry = 1000;
  static constexpr std::chrono::seconds kCountPause{5};  ///< between two looks at the counter

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
  /// A record was found: it lives on. Soon, and not more often than makes sense.
  void refresh(const Digest& digest, const Shingles* asked);
  [[nodiscard]] const RedisWriterCounters& counters() const { return counters_; }

 private:
  struct Refreshes {
    std::vector<Fingerprint> waiting;
    RecentNames recent;
  };

  void run();
  void take_in(const std::vector<QueuedUpdate>& group);
  /// Into the journal, as far as it has room; the rest is refused.
  void keep(const std::vector<QueuedUpdate>& group, const Error& reason);
  /// Sends the oldest ones in the journal. True: there are more, and they may be sent at once.
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
  Outage outage_;        ///< the journal is in use
  std::jthread thread_;  ///< last: starts when all else is there
};

}  // namespace shingled::storage::redis_store
