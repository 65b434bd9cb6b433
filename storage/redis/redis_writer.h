#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "storage/engine/update_queue.h"
#include "storage/redis/update_sender.h"
#include "storage/server/recent_names.h"

namespace shingled::storage {

struct RedisWriterOptions {
  std::chrono::milliseconds timeout{500};  ///< for the server's answer to a group
  std::uint32_t queue_max = 65'536;        ///< updates waiting; more are refused
  std::chrono::seconds expire{0};          ///< 0 = never
};

/// What the writer has done; read by anyone.
struct RedisWriterCounters {
  std::atomic<std::uint64_t> added{0};
  std::atomic<std::uint64_t> deleted{0};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::uint64_t> refreshed{0};
  std::atomic<std::uint64_t> refreshes_dropped{0};  ///< too many at once
  std::atomic<std::uint64_t> count{0};              ///< adds minus deletes, as last read
};

/// The one thread that changes the database: takes what has queued up as one group, sends it, tells
/// the submitters when the server has answered.
///
/// An update whose answer was lost may have been made; it is refused, and a client that repeats it
/// is counted once.   Threads: one inside, "redis"; the destructor stops it after everything queued
/// was sent or refused.
class RedisWriter {
 public:
  static constexpr std::size_t kGroupMax = 256;             ///< updates in one round trip
  static constexpr std::size_t kRefreshesMax = 1024;        ///< waiting; more are dropped
  static constexpr std::chrono::seconds kRefreshPause{60};  ///< of one record, at most
  static constexpr std::chrono::seconds kCountPause{5};     ///< between two looks at the counter

  RedisWriter(const RedisWriterOptions& options, std::unique_ptr<UpdateSender> sender, Clock& clock,
              Random& random, Logger& logger);
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
  void send(const std::vector<QueuedUpdate>& group);
  void finish(const QueuedUpdate& queued, const Status& outcome);
  void send_refreshes();
  void read_count();
  [[nodiscard]] TimePoint deadline() const { return clock_.now() + options_.timeout; }

  const RedisWriterOptions options_;
  std::unique_ptr<UpdateSender> sender_;
  Clock& clock_;
  Random& random_;
  Logger& logger_;
  UpdateQueue queue_;
  Guarded<Refreshes> refreshes_;
  RedisWriterCounters counters_;
  TimePoint count_due_{};
  std::jthread thread_;  ///< last: starts when all else is there
};

}  // namespace shingled::storage
