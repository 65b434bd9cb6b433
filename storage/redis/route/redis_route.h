#pragma once

#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "storage/redis/route/command_list.h"
#include "storage/redis/route/redis_reply.h"

namespace shingled::storage::redis {

/// Sends commands to the server that executes them: a single one, one of a list, or those of a
/// cluster.
/// Threads: any thread.
class RedisRoute {
 public:
  virtual ~RedisRoute() = default;
  /// Returns the reply to each command, in order; a reply may be an error.
  /// Errors: kUnavailable, kTimeout and those of RedisConnection; any of the commands may have been
  /// executed then.
  virtual Result<std::vector<RedisReply>> ask(const CommandList& commands, TimePoint deadline) = 0;
  /// Sends the commands to every server that has keys of its own, for example to load a script on
  /// each. Returns the replies of one of them.
  virtual Result<std::vector<RedisReply>> ask_all(const CommandList& commands, TimePoint deadline) {
    return ask(commands, deadline);
  }
  /// Whether a server can be asked now; false if all are known to be away.
  [[nodiscard]] virtual bool is_up() const = 0;
  /// Whether keys are spread over servers, so that all keys of a command must have the same slot.
  [[nodiscard]] virtual bool splits_keys() const { return false; }
};

/// Whether a reply means that this server cannot execute such commands now (it loads its data, is a
/// replica, wants a password, has no memory). Another server may, or this one later.
bool means_away(const RedisReply& reply);

}  // namespace shingled::storage::redis
