#include "storage/shared_counters/scripted_route.h"

#include <algorithm>
#include <utility>

#include "storage/redis/open_route.h"
#include "storage/redis/scripts.h"
#include "storage/shared_counters/script_texts.h"

namespace shingled::storage::shared_counters {

namespace {

/// Our own lines report an outage; those of the servers would only repeat it.
NullLogger& no_log() {
  static NullLogger logger;
  return logger;
}

}  // namespace

ScriptedRoute::ScriptedRoute(const RedisOptions& options, const char* meanwhile, Clock& clock,
                             Logger& logger)
    : options_(options), meanwhile_(meanwhile), clock_(clock), logger_(logger) {
  route_ = redis::open_route(options_, options_.write_servers, redis::RedisServers::Turn::kInOrder,
                             clock, no_log())
               .route;
}

ScriptedRoute::Replies ScriptedRoute::run(const Write& write, TimePoint deadline,
                                          std::optional<std::uint32_t> replicas) {
  const TimePoint begun = clock_.now();
  // Not an outage: a message that has used up its time.
  if (begun >= deadline) return Error{ErrorCode::kTimeout, "no time is left"};
  exchanges_.fetch_add(1, std::memory_order_relaxed);
  Replies replies = ask(write, until(deadline), replicas.value_or(0));
  Status outcome;
  if (!replies) {
    outcome = replies.error();
  } else {
    for (const redis::RedisReply& reply : *replies)
      if (reply.is_error()) outcome = Error{ErrorCode::kUnavailable, reply.text};
  }
  note(begun, replicas.has_value(), outcome);
  return replies;
}

ScriptedRoute::Replies ScriptedRoute::ask(const Write& write, TimePoint deadline,
                                          std::uint32_t replicas) {
  for (int attempt = 0;; ++attempt) {
    std::vector<std::string> names = this->names();
    if (names.empty()) {
      auto loaded = redis::load_scripts(counter_scripts(), [&](const redis::CommandList& commands) {
        return route_->ask_all(commands, deadline);
      });
      if (!loaded) return loaded.error();
      names = *std::move(loaded);
      *names_.lock() = names;
    }
    redis::CommandList commands;
    write(commands, names);
    if (commands.empty()) return std::vector<redis::RedisReply>();
    if (replicas > 0) commands.wait_for({replicas, options_.timeout});
    Replies replies = route_->ask(commands, deadline);
    if (!replies || attempt > 0 || !redis::any_error(*replies, "NOSCRIPT")) return replies;
    names_.lock()->clear();
  }
}

/// Logs when Redis goes away or comes back. A success that began before the last failure says
/// nothing. Nor does an answer of a server that may not write, or has no memory or replicas.
void ScriptedRoute::note(TimePoint begun, bool is_write, const Status& outcome) {
  if (!outcome) errors_.fetch_add(1, std::memory_order_relaxed);
  {
    auto health = health_.lock();
    if (outcome) {
      const TimePoint now = clock_.now();
      const bool is_quiet = !options_.cluster || now - health->failed >= kClusterQuiet;
      if (!health->away || begun < health->failed || !is_quiet) return;
      if (health->refuses_writes && !is_write) return;
      health->away = false;
      health->refuses_writes = false;
    } else {
      health->failed = clock_.now();
      health->refuses_writes |= is_write;
      if (std::exchange(health->away, true)) return;
    }
  }
  if (outcome) {
    logger_.info(LogLine("counters_redis_back"));
  } else {
    logger_.error(LogLine("counters_redis_away")
                      .field("meanwhile", meanwhile_)
                      .field("reason", outcome.error().message));
  }
}

TimePoint ScriptedRoute::until(TimePoint deadline) const {
  return std::min(deadline, clock_.now() + options_.timeout);
}

}  // namespace shingled::storage::shared_counters
