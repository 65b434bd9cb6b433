#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "config/base/guarded.h"
#include "config/base/socket_address.h"

namespace shingled::storage {

/// The open connections of all workers, counted in total and by source, so that neither one client
/// nor all of them together can take every descriptor.
///
/// A source is an IPv4 address or an IPv6 /64, which is what one customer has at least.
/// Threads: any thread. Cost: a lock for each connection, none for its requests; memory for as many
/// sources as have a connection.
class ConnectionTable {
 public:
  enum class Verdict : std::uint8_t {
    kEntered,     ///< `leave` must follow when it is closed
    kFull,        ///< too many connections
    kSourceFull,  ///< too many of this source
  };
  struct Limits {
    std::size_t most = 0;
    std::size_t most_of_a_source = 0;
  };
  Verdict enter(const IpAddress& ip, const Limits& limits);
  void leave(const IpAddress& ip);
  [[nodiscard]] std::size_t size();

 private:
  struct SourceHash {
    std::size_t operator()(const IpAddress& ip) const;
  };
  struct State {
    std::size_t open = 0;
    std::unordered_map<IpAddress, std::size_t, SourceHash> by_source;
  };
  Guarded<State> state_;
};

/// Bytes that several threads may hold together.   Threads: any thread, never waiting.
class ByteBudget {
 public:
  /// False, and nothing is taken, if all together would hold more than `most`.
  [[nodiscard]] bool take(std::uint64_t bytes, std::uint64_t most);
  void give_back(std::uint64_t bytes) { held_.fetch_sub(bytes, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t held() const { return held_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> held_{0};
};

}  // namespace shingled::storage
