#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"
#include "storage/redis/route/command_list.h"
#include "storage/redis/route/redis_reply.h"

namespace shingled::storage::redis {

// Lua scripts are loaded into a server once and then called by the name that it returns.

/// Whether one of the replies is an error with that code.
bool any_error(std::span<const RedisReply> replies, std::string_view code);

/// The script's name for EVALSHA, from the reply to SCRIPT LOAD.
Result<std::string> script_name(const RedisReply& reply);

/// The commands SCRIPT LOAD for all texts.
CommandList script_loads(std::span<const std::string_view> texts);
/// The names in the replies to `script_loads`.
/// Errors: kDenied if the server refuses a script.
Result<std::vector<std::string>> script_names(std::span<const RedisReply> replies);

/// Loads scripts into servers and returns their names. `ask` sends commands and returns replies.
template <typename Ask>
Result<std::vector<std::string>> load_scripts(std::span<const std::string_view> texts,
                                              const Ask& ask) {
  const auto replies = ask(script_loads(texts));
  if (!replies) return replies.error();
  return script_names(*replies);
}

/// Returns the replies of `ask`, whose commands call scripts. `load` loads the scripts and sets
/// `sha`; it is called if `sha` is empty, and again if a server does not know the scripts, because
/// a restarted server has forgotten them. Then all commands are sent again, even those that were
/// executed.
template <typename Load, typename Ask>
Result<std::vector<RedisReply>> ask_with_scripts(std::string& sha, const Load& load,
                                                 const Ask& ask) {
  for (int attempt = 0;; ++attempt) {
    if (sha.empty()) {
      if (Status loaded = load(); !loaded) return loaded.error();
    }
    Result<std::vector<RedisReply>> replies = ask();
    if (!replies || !any_error(*replies, "NOSCRIPT")) return replies;
    if (attempt > 0) return Error{ErrorCode::kUnavailable, "the server forgets scripts"};
    sha.clear();
  }
}

}  // namespace shingled::storage::redis
