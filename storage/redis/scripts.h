#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"
#include "storage/redis/command_list.h"
#include "storage/redis/redis_reply.h"

namespace shingled::storage::redis {

// Lua scripts, which a server is told once and then knows by a name.

/// Whether one of the replies is an error of that code.
bool any_error(std::span<const RedisReply> replies, std::string_view code);

/// SCRIPT LOAD's reply: the name EVALSHA takes.
Result<std::string> script_name(const RedisReply& reply);

/// SCRIPT LOAD for each text.
CommandList script_loads(std::span<const std::string_view> texts);
/// The names in the replies to `script_loads`.
/// Errors: kDenied for a script that the server does not take.
Result<std::vector<std::string>> script_names(std::span<const RedisReply> replies);

/// Makes scripts known to servers and gives their names. `ask`: from commands to replies.
template <typename Ask>
Result<std::vector<std::string>> load_scripts(std::span<const std::string_view> texts,
                                              const Ask& ask) {
  const auto replies = ask(script_loads(texts));
  if (!replies) return replies.error();
  return script_names(*replies);
}

/// The replies of `ask` from servers that know the scripts: `load` makes them known while `sha` is
/// empty, and again when a server does not know them, for one that was restarted has forgotten
/// them. What it had executed before is sent again.
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
