#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/result.h"
#include "config/metrics/instruments.h"
#include "storage/buckets/bucket_script.h"
#include "storage/redis/redis_route.h"

namespace shingled::storage::buckets {

/// Where calls of several threads meet, to travel together: a round trip and the start of a script
/// cost Redis more than a bucket does.
///
/// Who comes while less than kExchanges are under way goes at once, and takes along whoever waits,
/// up to kKeysMax keys. The others wait for one that comes back. Nobody waits beyond his deadline,
/// and an exchange ends by the deadline of the thread that made it.
///
/// Threads: any thread; they take turns to do the work.
/// Cost: two locks a call; in a cluster a command for each slot.
class ScriptBatcher {
 public:
  static constexpr std::size_t kExchanges = 2;  ///< at a time: one under way, one being made
  static constexpr std::size_t kKeysMax = 500;  ///< of an exchange: 3 ms of Redis

  ScriptBatcher(redis::RedisRoute& route, const Clock& clock) : route_(route), clock_(clock) {}

  /// The reply to each call, which may be an error. Any of them may have been made when there is
  /// none.
  /// Errors: those of the route.
  Result<std::vector<redis::RedisReply>> run(std::vector<ScriptCall> calls, TimePoint deadline);

  /// Threads that wait to be taken along.
  [[nodiscard]] std::size_t waiting();
  /// Exchanges made.
  [[nodiscard]] std::uint64_t exchanges() const { return exchanges_.read(); }

 private:
  using Replies = Result<std::vector<redis::RedisReply>>;
  /// What one thread waits for. Shared, because it may go before its answer comes.
  struct Errand {
    std::vector<ScriptCall> calls;
    std::size_t keys = 0;
    // These are guarded by mutex_ of the batcher, which their type cannot say.
    bool waits = true;  ///< nobody has taken it along
    bool done = false;
    Replies replies = Error{ErrorCode::kTimeout, "no answer in time"};
    std::condition_variable wake;
  };
  using Errands = std::vector<std::shared_ptr<Errand>>;
  /// Calls that are one command: number so much of which errand.
  using Command = std::vector<std::pair<Errand*, std::size_t>>;

  Errands next_ones() SHINGLED_REQUIRES(mutex_);
  void call_next() SHINGLED_REQUIRES(mutex_);
  void exchange(const Errands& errands, TimePoint deadline);
  Replies ask(const std::vector<Command>& commands, TimePoint deadline);
  Result<std::string> script_sha(TimePoint deadline);

  redis::RedisRoute& route_;
  const Clock& clock_;
  Guarded<std::string> sha_;  ///< what EVALSHA calls the script; empty = not known yet
  Mutex mutex_;
  std::deque<std::shared_ptr<Errand>> waiting_ SHINGLED_GUARDED_BY(mutex_);
  std::size_t under_way_ SHINGLED_GUARDED_BY(mutex_) = 0;
  EventCount exchanges_;
};

}  // namespace shingled::storage::buckets
