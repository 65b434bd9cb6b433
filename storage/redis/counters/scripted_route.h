#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/options/redis_options.h"
#include "storage/redis/route/reachability.h"
#include "storage/redis/route/redis_route.h"
#include "storage/redis/route/scripts.h"

namespace shingled::storage::redis {

/// The way to Redis, with the scripts of the counters loaded. It says once when Redis goes away and
/// once when it is back.
/// Threads: any thread.
class ScriptedRoute {
 public:
  /// The mark of the servers is looked at so often, and lives as long as what nobody writes to.
  static constexpr std::chrono::hours kMarkPause{1};
  static constexpr std::chrono::days kMarkLife{16};

  using Replies = Scripts::Replies;
  /// Writes the commands; gets the names of the scripts, by Script.
  using Write = Scripts::Write;

  /// `meanwhile`: what happens to counters while Redis is away, for the log.
  /// `mark`: of the key of the shingles. Servers without a mark get it; those with another one are
  /// not used.
  ScriptedRoute(const RedisOptions& options, const char* meanwhile, Clock& clock, Logger& logger,
                std::optional<std::uint64_t> mark = {});

  /// Returns the replies, of which some may be errors. If a server has forgotten the scripts, all
  /// commands are sent again. `replicas`: must have what is written; nullopt: the commands only
  /// read.
  /// Errors: those of RedisRoute, and of `key_status`.
  Replies run(const Write& write, TimePoint deadline,
              std::optional<std::uint32_t> replicas = std::nullopt);

  /// What the last look said about the mark of the servers; no error before the first one.
  /// Errors: kInvalid: another key.
  [[nodiscard]] Status key_status() const { return mark_state_.lock()->status; }
  /// Of the scripts, by Script; empty before they are loaded.
  [[nodiscard]] std::vector<std::string> names() const { return scripts_.names(); }
  [[nodiscard]] bool is_away() const { return reachability_.is_away(); }
  [[nodiscard]] bool splits_keys() const { return route_->splits_keys(); }
  [[nodiscard]] TimePoint until(TimePoint deadline) const;
  [[nodiscard]] std::uint64_t errors() const { return reachability_.failures(); }
  [[nodiscard]] std::uint64_t exchanges() const { return exchanges_.load(); }

 private:
  struct MarkState {
    Status status;
    std::optional<TimePoint> looked;
  };

  /// Looks at the mark of the servers, now and then.
  Status check_mark(TimePoint deadline);

  const RedisOptions options_;
  Clock& clock_;
  Logger& logger_;
  std::unique_ptr<RedisRoute> route_;
  Scripts scripts_;
  Reachability reachability_;
  const std::optional<std::uint64_t> mark_;
  mutable Guarded<MarkState> mark_state_;
  std::atomic<std::uint64_t> exchanges_{0};
};

}  // namespace shingled::storage::redis
