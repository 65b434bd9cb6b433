#include "storage/redis/counters/scripted_route.h"

#include <algorithm>
#include <string>
#include <utility>

#include "storage/counters/counter_key.h"
#include "storage/redis/counters/script_texts.h"
#include "storage/redis/counters/shared_layout.h"
#include "storage/redis/route/open_route.h"
#include "storage/redis/route/slot_map.h"

namespace shingled::storage::redis {

ScriptedRoute::ScriptedRoute(const RedisOptions& options, const char* meanwhile, Clock& clock,
                             Logger& logger, std::optional<std::uint64_t> mark)
    : options_(options),
      clock_(clock),
      logger_(logger),
      route_(open_route(options, options.write_servers, RedisServers::Turn::kInOrder, clock,
                        silent_logger())
                 .route),
      scripts_(*route_, counter_scripts()),
      reachability_(options.cluster, {"counters_redis_away", "counters_redis_back", meanwhile},
                    clock, logger),
      mark_(mark) {}

ScriptedRoute::Replies ScriptedRoute::run(const Write& write, TimePoint deadline,
                                          std::optional<std::uint32_t> replicas) {
  // Not an outage: a message that has used up its time.
  if (clock_.now() >= deadline) return Error{ErrorCode::kTimeout, "no time is left"};
  if (Status right = check_mark(until(deadline)); !right) return right.error();
  exchanges_.fetch_add(1, std::memory_order_relaxed);
  const Reachability::Moment begun = reachability_.begin();
  Replies replies = scripts_.call(
      [&](CommandList& commands, Scripts::Names names) {
        write(commands, names);
        commands.wait_for({replicas.value_or(0), options_.timeout});
      },
      until(deadline));
  if (replies && replies->empty()) return replies;  // nothing was asked, so nothing is known
  Status outcome;
  if (!replies) {
    outcome = replies.error();
  } else {
    for (const RedisReply& reply : *replies)
      if (reply.is_error()) outcome = Error{ErrorCode::kUnavailable, reply.text};
  }
  reachability_.record(begun, replicas ? Reachability::Kind::kWrite : Reachability::Kind::kRead,
                       outcome);
  return replies;
}

Status ScriptedRoute::check_mark(TimePoint deadline) {
  if (!mark_) return {};
  const TimePoint now = clock_.now();
  {
    auto state = mark_state_.lock();
    if (state->looked && now - *state->looked < kMarkPause) return state->status;
  }
  const std::string name = mark_name(options_.prefix);
  const std::string ours = counters::mark_text(*mark_);
  const std::uint16_t slot = key_slot(name);
  CommandList commands;
  commands.add({"SET", name, ours, "NX"}, slot);
  commands.add(
      {"EXPIRE", name,
       std::to_string(std::chrono::duration_cast<std::chrono::seconds>(kMarkLife).count())},
      slot);
  commands.add({"GET", name}, slot);
  const Replies replies = route_->ask(commands, deadline);
  // Without an answer nothing is known about the mark; what is asked now has none either.
  if (!replies) return {};
  if (replies->size() != commands.size() || !replies->back().is_text()) {
    // A server that may not write yet has no mark of ours.
    mark_state_.lock()->looked = now;
    return {};
  }
  Status status;
  const auto theirs = counters::parse_mark(replies->back().text);
  if (replies->back().text != ours)
    status = Error{ErrorCode::kInvalid,
                   counters::other_key_error("Redis, " + name, theirs.value_or(0), *mark_)};
  bool is_new = false;
  {
    auto state = mark_state_.lock();
    is_new = !status && state->status;
    *state = {status, now};
  }
  if (is_new)
    logger_.error(LogLine("counters_other_key")
                      .field("why", status.error().message)
                      .field("mail", "goes on without counters"));
  return status;
}

TimePoint ScriptedRoute::until(TimePoint deadline) const {
  return std::min(deadline, clock_.now() + options_.timeout);
}

}  // namespace shingled::storage::redis
