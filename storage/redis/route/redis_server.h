#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "config/base/backoff.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/system/address_lookup.h"
#include "storage/redis/route/redis_connection.h"
#include "storage/redis/route/redis_route.h"

namespace shingled::storage::redis {

/// One server: its idle connections, and whether it is available.
///
/// Each exchange has its own connection, an idle or a new one, so there are as many connections as
/// threads that ask at the same time. After a failure the server is not tried for 50 ms, then for
/// twice as long each time, at most 5 s. After such a pause one thread tries it, while the calls of
/// the others still fail at once. If an idle connection turns out to be broken, it is replaced once
/// in the same exchange, because the server may have been restarted. So commands may be executed
/// twice, which all our commands allow. If the name of the server is not found, the server counts
/// as away; no thread waits for the look-up beyond its deadline.
///
/// Threads: any thread.
class RedisServer final : public RedisRoute {
 public:
  static constexpr std::chrono::milliseconds kAwayMin{50};
  static constexpr std::chrono::seconds kAwayMax{5};
  static constexpr std::size_t kIdleMax = 64;  ///< idle connections kept

  RedisServer(SocketSpec where, RedisLogin login, Clock& clock, Logger& logger)
      : where_(std::move(where)),
        login_(std::move(login)),
        clock_(clock),
        logger_(logger),
        lookup_(where_) {}

  Result<std::vector<RedisReply>> ask(const CommandList& commands, TimePoint deadline) override;
  [[nodiscard]] bool is_up() const override;
  [[nodiscard]] const SocketSpec& where() const { return where_; }

 private:
  using Connection = std::unique_ptr<RedisConnection>;

  bool may_try();
  Result<Connection> connect(TimePoint deadline);
  Connection take_idle();
  Result<std::vector<RedisReply>> ask_on(Connection connection, const CommandList& commands,
                                         TimePoint deadline);
  static Result<std::vector<RedisReply>> ask_and_wait(RedisConnection& connection,
                                                      const CommandList& commands,
                                                      TimePoint deadline);
  void note_success();
  /// `before`: the number of failures when the exchange began. If several exchanges fail at the
  /// same time, only one counts; otherwise a short outage would look like many failures.
  void note_failure(std::uint32_t before, const Error& error);

  const SocketSpec where_;
  const RedisLogin login_;
  Clock& clock_;
  Logger& logger_;
  AddressLookup lookup_;
  Guarded<std::vector<Connection>> idle_;
  std::atomic<std::uint32_t> failures_{0};  ///< in a row
  std::atomic<Duration::rep> next_try_{0};  ///< valid while `failures_` is not 0
};

}  // namespace shingled::storage::redis
