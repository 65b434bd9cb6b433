#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string_view>
#include <utility>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "mime/fingerprint/secret_hash.h"

namespace shingled::milter::counters {

/// By what a retry is known.
struct RetryName {
  std::string_view message_id = {};  ///< as in the header; may be empty
  std::string_view sender;           ///< path of MAIL
  std::uint64_t recipients = 0;      ///< sum of the hashes of their paths, in any order
  std::uint64_t size = 0;            ///< bytes of the message
};

/// Remembers messages that we have deferred after they were counted, so that their next attempt is
/// not counted again. It forgets after a day, and the oldest ones if there are too many. A client
/// that retries at another server, or after a restart, counts again.
///
/// Only keyed hashes are kept, so no stranger can make two messages look alike.
/// Threads: any thread.
class RetryMemory {
 public:
  static constexpr std::size_t kMost = 65'536;  ///< about 5 MB
  static constexpr std::chrono::hours kLife{24};

  explicit RetryMemory(std::size_t most = kMost) : most_(most) {}

  /// The message is deferred.
  void remember(const RetryName& name, TimePoint now);
  /// Whether the message was deferred within the last day.
  [[nodiscard]] bool knows(const RetryName& name, TimePoint now) const;
  [[nodiscard]] std::size_t size() const { return memory_.lock()->times.size(); }

 private:
  struct Memory {
    std::map<std::uint64_t, TimePoint> times;                       ///< of the last attempt
    std::deque<std::pair<TimePoint, std::uint64_t>> in_order = {};  ///< of attempts, oldest first
  };
  static std::uint64_t hash_of(const RetryName& name);

  const std::size_t most_;
  mutable Guarded<Memory> memory_;
};

}  // namespace shingled::milter::counters
