#pragma once

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

/// When a server is left alone, and when it is tried again.
struct RestPolicy {
  std::uint32_t errors_max = 4;       ///< failures in a row before the first rest
  Duration rest{};                    ///< the first one; each further one is twice as long, up to
  static constexpr int kLongest = 8;  ///< times that
};

/// Whether one endpoint is well: a value, no clock, no lock.
///
/// After `errors_max` failures in a row it rests. Half-way through a rest it is worth a probe, so
/// that messages meet it again only when it is well; where nobody probes, they try it after the
/// rest. One failure then sends it to rest again, twice as long.
class ServerBackoff {
 public:
  [[nodiscard]] bool is_well(TimePoint now) const { return now >= rests_until_; }
  /// It has failed and nothing has been heard of it since.
  [[nodiscard]] bool is_resting() const { return rests_ > 0; }
  [[nodiscard]] bool wants_probe(TimePoint now) const { return is_resting() && now >= probe_at_; }
  void answered() { *this = ServerBackoff(); }
  void failed(const RestPolicy& policy, TimePoint now) {
    if (!is_well(now)) return;  // asked because all others rest too
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

/// The version byte a server takes for a CHECK. Old servers drop 0x14 silently, and no byte on the
/// wire tells old from slow, so it is tried and remembered per address.
enum class Speech : std::uint8_t {
  kUnknown,  ///< try 0x14, fall back to 4
  kFlags,    ///< 0x14: replies carry all flags
  kPlain,    ///< 4
};

/// One entry of the configuration, its name resolved.
struct UpstreamServer {
  std::string name;  ///< as configured: its identity in a hash rotation
  std::uint32_t weight = 1;
  std::vector<SocketAddress> addresses;  ///< the best first; none while its name is not found
};

/// The servers of one service: what they are called, who is well, whose turn it is.
///
/// A server is one entry of the configuration; a name with several addresses gives it several
/// endpoints, of which one is enough.
/// Threads: any thread.
/// Cost: one mutex, held for a few instructions a packet.
class Upstreams {
 public:
  struct Endpoint {
    SocketAddress address;
    std::string name;        ///< "192.0.2.1:11335"
    std::size_t server = 0;  ///< to which entry of the configuration it belongs
  };

  Upstreams(const std::vector<UpstreamServer>& servers, Rotation rotation,
            const RestPolicy& policy);

  [[nodiscard]] std::size_t servers() const { return servers_; }
  [[nodiscard]] const std::vector<Endpoint>& endpoints() const { return endpoints_; }
  /// The addresses of one server, as it was given; none while its name is not found.
  [[nodiscard]] std::vector<SocketAddress> addresses_of(std::size_t server) const;
  /// Whether `servers` has the same addresses.
  [[nodiscard]] bool equals(const std::vector<UpstreamServer>& servers) const;
  /// Takes over what `old` knows about the addresses that are also here.
  void inherit(Upstreams& old);

  /// All endpoints in the order to try them: the healthy ones first, server by server as the
  /// rotation has it. `key` as in ServerSelection. Each call moves the turn on.
  std::vector<std::size_t> in_turn(std::uint64_t key, TimePoint now);
  /// The endpoints of one server, the healthy ones first.
  std::vector<std::size_t> of_server(std::size_t server, TimePoint now);

  // What happened to an endpoint.
  void sent(std::size_t endpoint, bool repeat);
  void streamed(std::size_t endpoint);
  void answered(std::size_t endpoint, std::chrono::microseconds latency);
  void stray(std::size_t endpoint);
  void timed_out(std::size_t endpoint);
  void unreachable(std::size_t endpoint);

  /// It failed once, however many questions that cost.
  void failed(std::size_t endpoint, TimePoint now);
  void probe_failed(std::size_t endpoint, TimePoint now);
  /// The resting endpoints that are worth a probe.
  std::vector<std::size_t> to_probe(TimePoint now);

  /// kPlain is forgotten after kPlainTime: a lost packet may have made a new server look old.
  Speech speech(std::size_t endpoint, TimePoint now);
  void learn(std::size_t endpoint, Speech speech, TimePoint now);
  static constexpr Duration kPlainTime = std::chrono::hours(1);

  /// One for each endpoint, in their order.
  std::vector<ServerStatistics> statistics();

 private:
  struct Record {
    ServerBackoff health;
    Speech speech = Speech::kUnknown;
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
