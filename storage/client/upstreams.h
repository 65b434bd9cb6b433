#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/base/backoff.h"
#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/system/socket_address.h"
#include "storage/client/server_selection.h"
#include "storage/client/server_statistics.h"

namespace shingled::storage::client {

/// When a failing server is left alone ("rests"), and for how long.
struct RestPolicy {
  std::uint32_t errors_max = 4;       ///< failures in a row before the first rest
  Duration rest{};                    ///< the first rest; each further one is twice as long
  static constexpr int kLongest = 8;  ///< the longest rest is kLongest * `rest`
};

/// The health of one endpoint. A value without clock and lock.
///
/// After `errors_max` failures in a row the endpoint rests. From the middle of the rest on it may
/// be probed, so that messages use it again only when it is healthy. Without a prober, messages try
/// it after the rest; one failure then makes it rest again, twice as long.
class ServerBackoff {
 public:
  [[nodiscard]] bool is_well(TimePoint now) const { return now >= rests_until_; }
  /// Whether it failed and has not answered since.
  [[nodiscard]] bool is_resting() const { return rests_ > 0; }
  [[nodiscard]] bool wants_probe(TimePoint now) const { return is_resting() && now >= probe_at_; }
  void answered() { *this = ServerBackoff(); }
  void failed(const RestPolicy& policy, TimePoint now) {
    if (!is_well(now)) return;  // it was asked only because all others rest, too
    if (is_resting() || ++errors_ >= policy.errors_max) rest(policy, now);
  }
  void probe_failed(const RestPolicy& policy, TimePoint now) { rest(policy, now); }

 private:
  void rest(const RestPolicy& policy, TimePoint now) {
    const Backoff backoff{policy.rest, policy.rest * RestPolicy::kLongest};
    const Duration length = backoff.wait(rests_++);
    errors_ = 0;
    rests_until_ = now + length;
    probe_at_ = now + length / 2;
  }

  std::uint32_t errors_ = 0;  // in a row
  std::uint32_t rests_ = 0;   // in a row
  TimePoint rests_until_{};
  TimePoint probe_at_{};
};

/// The version byte that a server accepts in a CHECK. Old servers drop 0x14 silently, and nothing
/// on the wire tells an old server from a slow one. So 0x14 is tried, and the result is remembered
/// per address.
enum class WireVersion : std::uint8_t {
  kUnknown,  ///< try 0x14, fall back to 4
  kFlags,    ///< 0x14: replies carry all flags
  kPlain,    ///< 4
};

/// One entry of the configuration with the addresses of its name.
struct UpstreamServer {
  std::string name;  ///< as configured: its identity in a hash rotation
  std::uint32_t weight = 1;
  std::vector<SocketAddress> addresses;  ///< the best first; empty while its name is not found
};

/// The servers of one service: their names, their health, and whose turn it is.
///
/// A server is one entry of the configuration. If its name has several addresses, the server has
/// several endpoints; an answer from one of them is enough.
/// Threads: any thread.
/// Cost: one mutex, held for a few instructions per packet.
class Upstreams {
 public:
  struct Endpoint {
    SocketAddress address;
    std::string name;        ///< "192.0.2.1:11335"
    std::size_t server = 0;  ///< the number of its entry in the configuration
  };

  Upstreams(const std::vector<UpstreamServer>& servers, Rotation rotation,
            const RestPolicy& policy);

  [[nodiscard]] std::size_t servers() const { return servers_; }
  [[nodiscard]] const std::vector<Endpoint>& endpoints() const { return endpoints_; }
  /// The addresses of one server, in their order; empty while its name is not found.
  [[nodiscard]] std::vector<SocketAddress> addresses_of(std::size_t server) const;
  /// Whether `servers` has the same addresses.
  [[nodiscard]] bool equals(const std::vector<UpstreamServer>& servers) const;
  /// Copies from `old` everything that is known about the addresses that both have.
  void inherit(Upstreams& old);

  /// All endpoints in the order to try them: the healthy ones first, server by server in the order
  /// of the rotation. `key` as in ServerSelection. Each call moves the turn on.
  std::vector<std::size_t> in_turn(std::uint64_t key, TimePoint now);
  /// The endpoints of one server, the healthy ones first.
  std::vector<std::size_t> of_server(std::size_t server, TimePoint now);

  // Events of an endpoint.
  void sent(std::size_t endpoint, bool repeat);
  void streamed(std::size_t endpoint);
  void answered(std::size_t endpoint, std::chrono::microseconds latency);
  void stray(std::size_t endpoint);
  void timed_out(std::size_t endpoint);
  void unreachable(std::size_t endpoint);

  /// Counts one failure of the endpoint, even if several questions failed with it.
  void failed(std::size_t endpoint, TimePoint now);
  void probe_failed(std::size_t endpoint, TimePoint now);
  /// The resting endpoints that are due for a probe.
  std::vector<std::size_t> to_probe(TimePoint now);

  /// The known version byte. kPlain is forgotten after kPlainTime, because a lost packet may have
  /// made a new server look old.
  WireVersion wire_version(std::size_t endpoint, TimePoint now);
  void learn(std::size_t endpoint, WireVersion wire_version, TimePoint now);
  static constexpr Duration kPlainTime = std::chrono::hours(1);

  /// The statistics of each endpoint, in the order of `endpoints`.
  std::vector<ServerStatistics> statistics();

 private:
  struct Record {
    ServerBackoff health;
    WireVersion wire_version = WireVersion::kUnknown;
    TimePoint learnt{};
    ServerStatistics statistics;
  };
  struct State {
    std::vector<Record> records;  // by endpoint
    ServerSelection selection;
  };

  std::vector<Endpoint> endpoints_;  // constant after construction
  std::size_t servers_;
  RestPolicy policy_;
  Guarded<State> state_;
};

}  // namespace shingled::storage::client
