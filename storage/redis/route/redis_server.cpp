#include "storage/redis/route/redis_server.h"

#include <utility>

namespace shingled::storage::redis {

bool RedisServer::is_up() const { return failures_.load(std::memory_order_relaxed) == 0; }

Result<std::vector<RedisReply>> RedisServer::ask(const CommandList& commands, TimePoint deadline) {
  // That says nothing about this server: a frozen one before it in the list, or in a cluster, may
  // have taken all the time.
  if (clock_.now() >= deadline)
    return Error{ErrorCode::kTimeout, where_.to_string() + ": no time is left to ask it"};
  const std::uint32_t failures = failures_.load(std::memory_order_relaxed);
  if (!may_try()) {
    return Error{ErrorCode::kUnavailable, where_.to_string() + ": known to be away"};
  }
  Result<std::vector<RedisReply>> replies = Error{ErrorCode::kUnavailable, "not tried"};
  if (Connection idle = take_idle()) {
    replies = ask_on(std::move(idle), commands, deadline);
    if (replies) return replies;
    if (replies.error().code == ErrorCode::kUnavailable) idle_.lock()->clear();
  }
  if (replies.error().code == ErrorCode::kUnavailable) {
    auto fresh = connect(deadline);
    replies = fresh ? ask_on(*std::move(fresh), commands, deadline)
                    : Result<std::vector<RedisReply>>(fresh.error());
  }
  if (replies) return replies;
  note_failure(failures, replies.error());
  return replies.error().in(where_.to_string());
}

Result<std::vector<RedisReply>> RedisServer::ask_on(Connection connection,
                                                    const CommandList& commands,
                                                    TimePoint deadline) {
  auto replies = commands.wait().replicas == 0 ? connection->ask(commands, deadline)
                                               : ask_and_wait(*connection, commands, deadline);
  if (!replies) return replies;
  for (const RedisReply& reply : *replies) {
    if (means_away(reply)) return Error{ErrorCode::kDenied, reply.text};
  }
  note_success();
  auto idle = idle_.lock();
  if (idle->size() < kIdleMax) idle->push_back(std::move(connection));
  return replies;
}

Result<std::vector<RedisReply>> RedisServer::ask_and_wait(RedisConnection& connection,
                                                          const CommandList& commands,
                                                          TimePoint deadline) {
  const ReplicaWait& wait = commands.wait();
  CommandList all = commands;
  all.add({"WAIT", std::to_string(wait.replicas), std::to_string(wait.timeout.count())});
  auto replies = connection.ask(all, deadline);
  if (!replies) return replies;
  if (replies->back().integer < std::int64_t{wait.replicas}) {
    return Error{ErrorCode::kDenied, "too few replicas have the written data"};
  }
  replies->pop_back();
  return replies;
}

bool RedisServer::may_try() {
  const std::uint32_t failures = failures_.load(std::memory_order_relaxed);
  if (failures == 0) return true;
  const TimePoint now = clock_.now();
  Duration::rep due = next_try_.load(std::memory_order_relaxed);
  if (now.time_since_epoch().count() < due) return false;
  // The thread that succeeds in moving `next_try_` tries the server; the others give up at once.
  const TimePoint next = now + kAwayMax;
  return next_try_.compare_exchange_strong(due, next.time_since_epoch().count());
}

Result<RedisServer::Connection> RedisServer::connect(TimePoint deadline) {
  if (where_.kind == SocketSpec::Kind::kUnix) {
    return RedisConnection::open(where_, login_, deadline, clock_);
  }
  const auto addresses = lookup_.find(deadline, clock_);
  if (!addresses) return addresses.error();
  return RedisConnection::open_at(*addresses, login_, deadline, clock_);
}

RedisServer::Connection RedisServer::take_idle() {
  auto idle = idle_.lock();
  if (idle->empty()) return nullptr;
  Connection connection = std::move(idle->back());
  idle->pop_back();
  return connection;
}

void RedisServer::note_success() {
  if (failures_.load(std::memory_order_relaxed) == 0 || failures_.exchange(0) == 0) return;
  logger_.info(LogLine("redis_back").field("server", where_.to_string()));
}

void RedisServer::note_failure(std::uint32_t before, const Error& error) {
  constexpr Backoff kAway{kAwayMin, kAwayMax};
  std::uint32_t seen = before;
  if (!failures_.compare_exchange_strong(seen, before + 1)) return;
  const TimePoint next = clock_.now() + kAway.wait(before);
  next_try_.store(next.time_since_epoch().count(), std::memory_order_relaxed);
  if (before == 0) {
    logger_.error(
        LogLine("redis_away").field("server", where_.to_string()).field("reason", error.message));
  }
}

}  // namespace shingled::storage::redis
