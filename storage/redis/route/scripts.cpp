#include "storage/redis/route/scripts.h"

#include <algorithm>

namespace shingled::storage::redis {

bool any_error(std::span<const RedisReply> replies, std::string_view code) {
  return std::any_of(replies.begin(), replies.end(),
                     [&](const RedisReply& reply) { return reply.is_error(code); });
}

Result<std::string> script_name(const RedisReply& reply) {
  if (reply.is_text() && !reply.text.empty()) return reply.text;
  return Error{ErrorCode::kDenied, "loading a script: " + reply.text};
}

CommandList script_loads(std::span<const std::string_view> texts) {
  CommandList commands;
  for (const std::string_view text : texts) commands.add({"SCRIPT", "LOAD", text});
  return commands;
}

Result<std::vector<std::string>> script_names(std::span<const RedisReply> replies) {
  std::vector<std::string> names;
  for (const RedisReply& reply : replies) {
    auto name = script_name(reply);
    if (!name) return name.error();
    names.push_back(*std::move(name));
  }
  return names;
}

}  // namespace shingled::storage::redis
