#include "storage/redis/route/scripts.h"

#include <algorithm>
#include <utility>

namespace shingled::storage::redis {

namespace {

constexpr std::string_view kForgotten = "NOSCRIPT";

}  // namespace

Scripts::Replies Scripts::call(const Write& write, TimePoint deadline, Again again) {
  std::vector<std::string> names = this->names();
  if (names.empty()) {
    if (Status loaded = load(deadline); !loaded) return loaded.error();
    names = this->names();
  }
  CommandList commands;
  write(commands, names);
  if (commands.empty()) return std::vector<RedisReply>();
  Replies replies = route_.ask(commands, deadline);
  if (!replies || !any_error(*replies, kForgotten)) return replies;
  // A name is the hash of the text, so the commands can be sent as they are.
  if (Status loaded = load(deadline); !loaded) return loaded.error();
  return ask_again(commands, std::move(replies), deadline, again);
}

Scripts::Replies Scripts::ask_again(const CommandList& commands, Replies replies,
                                    TimePoint deadline, Again again) {
  if (again == Again::kAll) return route_.ask(commands, deadline);
  std::vector<std::size_t> forgotten;
  CommandList left;
  left.wait_for(commands.wait());
  for (std::size_t i = 0; i < replies->size(); ++i) {
    if (!(*replies)[i].is_error(kForgotten)) continue;
    forgotten.push_back(i);
    left.append(commands.command(i), commands.slot(i));
  }
  Replies more = route_.ask(left, deadline);
  if (!more) return more;
  for (std::size_t k = 0; k < forgotten.size(); ++k)
    (*replies)[forgotten[k]] = std::move((*more)[k]);
  return replies;
}

Status Scripts::load(TimePoint deadline) {
  CommandList commands;
  for (const std::string_view text : texts_) commands.add({"SCRIPT", "LOAD", text});
  const Replies replies = route_.ask_all(commands, deadline);
  if (!replies) return replies.error();
  std::vector<std::string> names;
  for (const RedisReply& reply : *replies) {
    auto name = script_name(reply);
    if (!name) return name.error();
    names.push_back(*std::move(name));
  }
  *names_.lock() = std::move(names);
  return {};
}

bool any_error(std::span<const RedisReply> replies, std::string_view code) {
  return std::any_of(replies.begin(), replies.end(),
                     [&](const RedisReply& reply) { return reply.is_error(code); });
}

Result<std::string> script_name(const RedisReply& reply) {
  if (reply.is_text() && !reply.text.empty()) return reply.text;
  return Error{ErrorCode::kDenied, "loading a script: " + reply.text};
}

}  // namespace shingled::storage::redis
