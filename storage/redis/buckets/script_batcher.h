#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/result.h"
#include "config/metrics/instruments.h"
#include "storage/redis/buckets/bucket_script.h"
#include "storage/redis/route/redis_route.h"
#include "storage/redis/route/scripts.h"

namespace shingled::storage::redis {

/// Puts the calls of several threads into common exchanges: a round trip and the start of a script
/// cost Redis more than a bucket does.
///
/// If fewer than kExchanges are under way, a thread makes an exchange at once, with its own calls
/// and those of the waiting threads, up to kKeysMax keys. Otherwise it waits until an exchange
/// ends. No thread waits beyond its deadline, and an exchange ends by the deadline of the thread
/// that makes it.
///
/// Threads: any thread; they take turns to do the work.
/// Cost: two locks per call; in a cluster one command for each slot.
class ScriptBatcher {
 public:
  static constexpr std::size_t kExchanges = 2;  ///< at a time: one under way, one being made
  static constexpr std::size_t kKeysMax = 500;  ///< per exchange: 3 ms of Redis

  ScriptBatcher(RedisRoute& route, const Clock& clock);

  /// Returns the reply to each call; a reply may be an error. If `run` itself fails, any of the
  /// calls may have been made.
  /// Errors: those of the route; kTimeout.
  Result<std::vector<RedisReply>> run(std::vector<ScriptCall> calls, TimePoint deadline);

  /// The number of threads whose calls are not in an exchange yet.
  [[nodiscard]] std::size_t waiting();
  /// The number of exchanges made.
  [[nodiscard]] std::uint64_t exchanges() const { return exchanges_.read(); }

 private:
  using Replies = Result<std::vector<RedisReply>>;
  /// The calls of one thread and their replies. Shared, because the thread may leave before the
  /// replies come.
  struct Errand {
    std::vector<ScriptCall> calls;
    std::size_t keys = 0;
    // The members below are guarded by mutex_ of the batcher; an annotation cannot express that.
    bool waits = true;  ///< not in an exchange yet
    bool done = false;
    Replies replies = Error{ErrorCode::kTimeout, "no answer in time"};
    std::condition_variable wake;
  };
  using Errands = std::vector<std::shared_ptr<Errand>>;
  /// The calls that one command makes: the errand and the number of the call in it.
  using Command = std::vector<std::pair<Errand*, std::size_t>>;

  Errands next_ones() SHINGLED_REQUIRES(mutex_);
  void call_next() SHINGLED_REQUIRES(mutex_);
  void exchange(const Errands& errands, TimePoint deadline);
  Replies ask(const std::vector<Command>& commands, TimePoint deadline);

  RedisRoute& route_;
  const Clock& clock_;
  Scripts script_;
  Mutex mutex_;
  std::deque<std::shared_ptr<Errand>> waiting_ SHINGLED_GUARDED_BY(mutex_);
  std::size_t under_way_ SHINGLED_GUARDED_BY(mutex_) = 0;
  EventCount exchanges_;
};

}  // namespace shingled::storage::redis
