#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/guarded.h"
#include "config/base/result.h"
#include "storage/redis/route/redis_route.h"

namespace shingled::storage::redis {

/// Lua scripts of one purpose, and calls of them. A script is loaded into the servers once and then
/// called by the name that they return (EVALSHA). A server that was restarted has forgotten its
/// scripts (NOSCRIPT); then they are loaded and called again, once.
/// Threads: any thread.
class Scripts {
 public:
  using Replies = Result<std::vector<RedisReply>>;
  /// The names of the scripts, in the order of their texts.
  using Names = std::span<const std::string>;
  using Write = std::function<void(CommandList&, Names)>;

  /// What is sent again after a server had forgotten the scripts.
  enum class Again : std::uint8_t {
    kAll,        ///< all commands, in their order; those that were executed must allow it
    kForgotten,  ///< those alone that the server could not execute
  };

  /// `route` and the texts must outlive it.
  Scripts(RedisRoute& route, std::span<const std::string_view> texts)
      : route_(route), texts_(texts.begin(), texts.end()) {}

  /// Sends the commands that `write` makes, and returns their replies, of which some may be errors:
  /// NOSCRIPT, too, if a server forgets the scripts at once. Asks nothing if there are no commands.
  /// Errors: those of the route, and of `load`.
  /// Cost: one round trip; one more before the first call, two more after a restart.
  Replies call(const Write& write, TimePoint deadline, Again again = Again::kAll);

  /// Loads the scripts into all servers. `call` does so by itself.
  /// Errors: those of the route; kDenied if a server refuses a script.
  Status load(TimePoint deadline);
  /// Empty before the scripts are loaded.
  [[nodiscard]] std::vector<std::string> names() const { return *names_.lock(); }

 private:
  Replies ask_again(const CommandList& commands, Replies replies, TimePoint deadline, Again again);

  RedisRoute& route_;
  const std::vector<std::string_view> texts_;
  mutable Guarded<std::vector<std::string>> names_;
};

/// Whether one of the replies is an error with that code.
bool any_error(std::span<const RedisReply> replies, std::string_view code);
/// The script's name for EVALSHA, from the reply to SCRIPT LOAD.
/// Errors: kDenied if the server refuses the script.
Result<std::string> script_name(const RedisReply& reply);

}  // namespace shingled::storage::redis
