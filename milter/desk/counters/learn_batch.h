#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "config/base/result.h"

namespace shingled::milter::desk {

/// Collects additions of past messages and sends them in the order of their times, as far as they
/// find room in memory: the counters take them fastest when they are sorted.
/// Threads: one thread.
/// Memory:  kHeldMost, and one request.
class LearnBatches {
 public:
  /// Gets the elements of an array of JSON.
  using Send = std::function<Status(const std::string& additions)>;

  static constexpr std::size_t kHeldMost = 64UL * 1024 * 1024;
  static constexpr std::size_t kRequestBytes =
      512UL * 1024;  ///< a request ends when it has so many

  explicit LearnBatches(Send send, std::size_t held_most = kHeldMost)
      : send_(std::move(send)), held_most_(held_most) {}

  /// Errors: those of `send`.
  Status add(std::int64_t time, std::string addition);
  /// Sends what is left.
  Status finish();

 private:
  Send send_;
  std::size_t held_most_;
  std::vector<std::pair<std::int64_t, std::string>> held_;
  std::size_t held_bytes_ = 0;
};

}  // namespace shingled::milter::desk
