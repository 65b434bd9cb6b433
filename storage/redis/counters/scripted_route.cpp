#include "storage/redis/counters/scripted_route.h"

#include <algorithm>
#include <string>
#include <utility>

#include "storage/counters/key_mark.h"
#include "storage/redis/counters/script_texts.h"
#include "storage/redis/counters/shared_layout.h"
#include "storage/redis/route/key_slot.h"
#include "storage/redis/route/open_route.h"
#include "storage/redis/route/scripts.h"

namespace shingled::storage::redis {

namespace {

/// Our own lines report an outage; those of the servers would only repeat it.
NullLogger& no_log() {
  static NullLogger logger;
  return logger;
}

}  // namespace

ScriptedRoute::ScriptedRoute(const RedisOptions& options, const char* meanwhile, Clock& clock,
                             Logger& logger, std::optional<std::uint64_t> mark)
    : options_(options), meanwhile_(meanwhile), clock_(clock), logger_(logger), mark_(mark) {
  route_ =
      open_route(options_, options_.write_servers, RedisServers::Turn::kInOrder, clock, no_log())
          .route;
}

ScriptedRoute::Replies ScriptedRoute::run(const Write& write, TimePoint deadline,
                                          std::optional<std::uint32_t> replicas) {
  const TimePoint begun = clock_.now();
  // Not an outage: a message that has used up its time.
  if (begun >= deadline) return Error{ErrorCode::kTimeout, "no time is left"};
  if (Status right = check_mark(until(deadline)); !right) return right.error();
  exchanges_.fetch_add(1, std::memory_order_relaxed);
  Replies replies = ask(write, until(deadline), replicas.value_or(0));
  if (replies && replies->empty()) return replies;  // nothing was asked, so nothing is known
  Status outcome;
  if (!replies) {
    outcome = replies.error();
  } else {
    for (const RedisReply& reply : *replies)
      if (reply.is_error()) outcome = Error{ErrorCode::kUnavailable, reply.text};
  }
  record_outcome(begun, replicas.has_value(), outcome);
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

ScriptedRoute::Replies ScriptedRoute::ask(const Write& write, TimePoint deadline,
                                          std::uint32_t replicas) {
  for (int attempt = 0;; ++attempt) {
    std::vector<std::string> names = this->names();
    if (names.empty()) {
      auto loaded = load_scripts(counter_scripts(), [&](const CommandList& commands) {
        return route_->ask_all(commands, deadline);
      });
      if (!loaded) return loaded.error();
      names = *std::move(loaded);
      *names_.lock() = names;
    }
    CommandList commands;
    write(commands, names);
    if (commands.empty()) return std::vector<RedisReply>();
    if (replicas > 0) commands.wait_for({replicas, options_.timeout});
    Replies replies = route_->ask(commands, deadline);
    if (!replies || attempt > 0 || !any_error(*replies, "NOSCRIPT")) return replies;
    names_.lock()->clear();
  }
}

/// Logs when Redis goes away or comes back. A success that began before the last failure says
/// nothing. Nor does an answer of a server that may not write, or has no memory or replicas.
void ScriptedRoute::record_outcome(TimePoint begun, bool is_write, const Status& outcome) {
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

}  // namespace shingled::storage::redis
