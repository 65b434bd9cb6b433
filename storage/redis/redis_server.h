#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "config/base/backoff.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/system/address_lookup.h"
#include "storage/redis/redis_connection.h"
#include "storage/redis/redis_route.h"

namespace shingled::storage::redis {

/// One server: its idle connections and whether it is there.
///
/// Each exchange has a connection of its own, taken from the idle ones or made, so there are as
/// many as threads ask at the same time. A server that failed is left alone for 50 ms, then twice
/// as long each time, at most 5 s; then one thread tries it while the others still do not wait.
/// A connection that stood idle and turns out to be broken is replaced once, in the same exchange:
/// the server may have been restarted. All commands of ours may be executed twice.
/// A name that is not found is a server that is away; nobody waits for it beyond the deadline.
///
/// Threads: any thread.
class RedisServer final : public RedisRoute {
 public:
  static constexpr std::chrono::milliseconds kAwayMin{50};
  static constexpr std::chrono::seconds kAwayMax{5};
  static constexpr std::size_t kIdleMax = 64;  ///< connections kept

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
  /// `before`: the failures when the exchange began. Of exchanges under way at the same time only
  /// one counts, or a short pause would look like many.
  void note_failure(std::uint32_t before, const Error& error);

  const SocketSpec where_;
  const RedisLogin login_;
  Clock& clock_;
  Logger& logger_;
  AddressLookup lookup_;
  Guarded<std::vector<Connection>> idle_;
  std::atomic<std::uint32_t> failures_{0};  ///< in a row
  std::atomic<Duration::rep> next_try_{0};  ///< counts while there are failures
};

}  // namespace shingled::storage::redis
