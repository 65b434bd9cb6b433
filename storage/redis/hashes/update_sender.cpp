#include "storage/redis/hashes/update_sender.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "config/base/number_text.h"
#include "storage/redis/hashes/layout.h"
#include "storage/redis/route/open_route.h"

namespace shingled::storage::redis {

Status outcome_of(const RedisReply& reply) {
  if (!reply.is_error()) return {};
  return Error{ErrorCode::kCorrupt, "Redis refuses: " + reply.text};
}

std::uint64_t count_in(const RedisReply& reply) {
  const auto count = parse_whole<std::int64_t>(reply.text, 0);
  return static_cast<std::uint64_t>(count.value_or(0));
}

ScriptSender::ScriptSender(RedisRoute& route, ScriptContext context, ReplicaWait wait)
    : route_(route),
      context_(std::move(context)),
      wait_(wait),
      script_(route, std::array{update_script()}) {}

Result<std::vector<Status>> ScriptSender::send(std::span<const TimedUpdate> updates,
                                               TimePoint deadline) {
  const auto write = [&](CommandList& commands, const std::string& script) {
    for (const TimedUpdate& timed : updates) {
      append_update(commands, script, context_, *timed.update, timed.time);
    }
    // The replies to the commands below are ignored: after an error a repetition would fail, too.
    commands.add({"INCR", revision_key(context_.prefix)});
    for (const std::string& marker : settled_) {
      commands.add({"EXPIRE", marker, std::to_string(kMarkerDoneSeconds)});
    }
  };
  const auto replies = run(write, deadline);
  if (!replies) return replies.error();
  settled_.clear();
  std::vector<Status> outcomes;
  outcomes.reserve(updates.size());
  for (std::size_t i = 0; i < updates.size(); ++i) {
    outcomes.push_back(outcome_of((*replies)[i]));
  }
  return outcomes;
}

void ScriptSender::settle(std::span<const TimedUpdate> updates) {
  for (const TimedUpdate& timed : updates) {
    settled_.push_back(marker_key(context_.prefix, timed.update->name));
  }
}

Status ScriptSender::refresh(std::span<const Fingerprint> found, TimePoint deadline) {
  const auto replies = run(
      [&](CommandList& commands, const std::string& script) {
        for (const Fingerprint& each : found) append_refresh(commands, script, context_, each);
      },
      deadline);
  if (!replies) return replies.error();
  return {};
}

Result<std::uint64_t> ScriptSender::count(TimePoint deadline) {
  CommandList commands;
  commands.add({"GET", count_key(context_.prefix)});
  const auto replies = route_.ask(commands, deadline);
  if (!replies) return replies.error();
  return count_in(replies->front());
}

Result<std::vector<RedisReply>> ScriptSender::run(const Write& write, TimePoint deadline) {
  const auto call = [&](CommandList& commands, Scripts::Names names) {
    write(commands, names.front());
    commands.wait_for(wait_);
  };
  return whole(script_.call(call, deadline));
}

}  // namespace shingled::storage::redis
