#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "config/base/guarded.h"
#include "config/system/socket_address.h"

namespace shingled::storage::server {

/// The open connections of all workers, counted in total and by source, so that neither one client
/// nor all of them together can take every descriptor.
///
/// A source is an IPv4 address or an IPv6 /64, which is what one customer has at least. Some places
/// are for trusted sources alone. When there is no place left, a caller may have one of the source
/// that holds most, if that still holds more than he then; so a few sources, each within its limit,
/// keep nobody out. A stranger takes none from a trusted source.
/// Threads: any thread.
/// Cost: a lock for each connection, none for its requests; memory for as many sources as have a
/// connection.
class ConnectionTable {
 public:
  enum class Admission : std::uint8_t {
    kEntered,     ///< `leave` must follow when it is closed
    kFull,        ///< too many connections
    kSourceFull,  ///< too many of this source
  };
  struct Limits {
    std::size_t most = 0;
    std::size_t most_of_a_source = 0;
    std::size_t reserved = 0;  ///< of `most`, for trusted sources
  };
  enum class Standing : std::uint8_t { kStranger, kTrusted };
  struct Caller {
    IpAddress ip;
    Standing standing = Standing::kStranger;
  };
  Admission enter(const Caller& caller, const Limits& limits);
  void leave(const IpAddress& ip);
  /// Whether some source holds so much more than the caller that it is worth while to `pick`.
  [[nodiscard]] bool may_displace(const Caller& caller);
  /// Which of these connections, given by their addresses, makes room for him: the first one of the
  /// source that holds most. Nothing where none of them holds so much more.
  [[nodiscard]] std::optional<std::size_t> pick(const Caller& caller,
                                                std::span<const IpAddress> connections);
  [[nodiscard]] std::size_t size();

 private:
  struct SourceHash {
    std::size_t operator()(const IpAddress& ip) const;
  };
  struct Source {
    std::size_t held = 0;
    Standing standing = Standing::kStranger;  ///< as it was when its first connection came
  };
  /// Sources by how many they hold, so that the most is known at once.
  struct Ranking {
    std::vector<std::size_t> sources;  ///< [n]: how many sources hold n
    void move(std::size_t from, std::size_t to);
    [[nodiscard]] std::size_t most() const { return sources.empty() ? 0 : sources.size() - 1; }
  };
  struct State {
    std::size_t open = 0;
    std::size_t strangers = 0;  ///< connections of them
    std::unordered_map<IpAddress, Source, SourceHash> by_source;
    Ranking of_strangers;
    Ranking of_trusted;

    [[nodiscard]] Ranking& ranking(Standing standing) {
      return standing == Standing::kTrusted ? of_trusted : of_strangers;
    }
    [[nodiscard]] std::size_t held_by(const IpAddress& source) const;
  };
  Guarded<State> state_;
};

/// Bytes that several threads may hold together.
/// Threads: any thread, never waiting.
class ByteBudget {
 public:
  /// False, and nothing is taken, if all together would hold more than `most`.
  [[nodiscard]] bool take(std::uint64_t bytes, std::uint64_t most);
  void give_back(std::uint64_t bytes) { held_.fetch_sub(bytes, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t held() const { return held_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> held_{0};
};

}  // namespace shingled::storage::server
