#pragma once

#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "storage/redis/command_list.h"
#include "storage/redis/redis_reply.h"

namespace shingled::storage::redis {

/// The way to whoever executes commands: one of some servers.
/// Threads: any thread.
class RedisRoute {
 public:
  virtual ~RedisRoute() = default;
  /// The reply to each command, in order; a reply may be an error.
  /// Errors: kUnavailable, kTimeout and those of RedisConnection: any of the commands may have been
  /// executed.
  virtual Result<std::vector<RedisReply>> ask(const CommandList& commands, TimePoint deadline) = 0;
  /// The same to every server that has keys of its own, so that each of them knows a script; the
  /// replies of one of them.
  virtual Result<std::vector<RedisReply>> ask_all(const CommandList& commands, TimePoint deadline) {
    return ask(commands, deadline);
  }
  /// Whether a server would be asked just now, or all are known to be away.
  [[nodiscard]] virtual bool is_up() const = 0;
  /// Whether keys live on different servers, so that a command may name those of one slot only.
  [[nodiscard]] virtual bool splits_keys() const { return false; }
};

/// Whether a reply means that this server cannot do anything of the kind just now (it loads its
/// data, is a replica, wants a password, has no memory): another one, or later.
bool means_away(const RedisReply& reply);

}  // namespace shingled::storage::redis
