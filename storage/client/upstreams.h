#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/backoff.h"
#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/metrics/counter_table.h"
#include "config/metrics/metric_report.h"
#include "config/options/server_list.h"
#include "config/system/socket_address.h"

namespace shingled::storage::client {

/// One server of a rotation.
struct Contender {
  std::uint64_t identity = 0;  ///< for hash rotation: the same in every process for one server
  std::uint32_t weight = 1;
};

/// Decides in which order the servers of a list are tried: the rotation. Has no clock, no lock and
/// no knowledge of health.
///
/// Round-robin is the smooth kind: with the weights 5, 1 and 1 the turns are a a b a c a a. Hash
/// and random both use rendezvous hashing (highest random weight): a number is drawn for each
/// server from the key and its identity, and the best number wins. So a server that is added or
/// removed moves only its own share of the questions.
/// Threads: one thread.
/// Cost: O(n log n) for a list of n.
class ServerSelection {
 public:
  ServerSelection(Rotation rotation, std::vector<Contender> contenders);

  /// Returns all servers in the order to try them: the healthy ones (`well`) first. `key`: the hash
  /// of the question (hash rotation) or a random number (random). Each call moves the turn on.
  std::vector<std::size_t> order(const std::vector<bool>& well, std::uint64_t key);

 private:
  [[nodiscard]] std::size_t by_weight(const std::vector<bool>& well);
  [[nodiscard]] std::size_t next(const std::vector<bool>& well);
  [[nodiscard]] std::vector<std::size_t> drawn(std::uint64_t key) const;

  Rotation rotation_;
  std::vector<Contender> contenders_;
  std::vector<std::int64_t> credit_;  // for the smooth round-robin
  std::size_t turn_ = 0;
};

/// The identity of the server with this name.
std::uint64_t identity_of(std::string_view name);

/// The counters of the packets to one address of a service since it was opened. A new counter is a
/// field and its line in `table`.
struct ServerCounts {
  std::uint64_t requests = 0;  ///< questions sent, repeats not counted
  std::uint64_t over_tcp = 0;  ///< those of `replies` that came over TCP
  std::uint64_t repeats = 0;   ///< packets sent again because there was no answer
  std::uint64_t replies = 0;   ///< questions answered, including refusals
  std::uint64_t timeouts = 0;  ///< questions given up
  std::uint64_t errors = 0;    ///< questions that the system could not send
  std::uint64_t strays = 0;    ///< packets that answer no open question: late, doubled, forged
  std::uint64_t tcp_idle = 0;  ///< connections kept for the next questions

  static constexpr auto table() {
    using Counters = ServerCounts;
    return std::to_array<CounterLine<Counters>>({
        {&Counters::requests,
         {"shingled_client_requests", "Questions sent to a server, without repeats."},
         "requests"},
        {&Counters::over_tcp,
         {"shingled_client_tcp_replies", "Answers that came over TCP."},
         "over_tcp"},
        {&Counters::repeats, {"shingled_client_repeats", "Packets sent again."}, "repeats"},
        {&Counters::replies,
         {"shingled_client_replies", "Questions a server answered."},
         "replies"},
        {&Counters::timeouts, {"shingled_client_timeouts", "Questions given up."}, "timeouts"},
        {&Counters::errors,
         {"shingled_client_errors", "Questions that the system could not send."},
         "errors"},
        {&Counters::strays,
         {"shingled_client_strays", "Packets that answer no open question."},
         "strays"},
        {&Counters::tcp_idle,
         {"shingled_client_tcp_idle", "TCP connections kept for the next questions."},
         {},
         {},
         MetricFamily::Kind::kGauge},
    });
  }
  friend bool operator==(const ServerCounts&, const ServerCounts&) = default;
};
static_assert(kHasWholeTable<ServerCounts>);

/// The counters of one address, with its name, its times and its state.
struct ServerStatistics : ServerCounts {
  std::string server;                        ///< "192.0.2.1:11335"
  std::chrono::microseconds latency_sum{0};  ///< over all replies, from the first packet on
  std::chrono::microseconds latency_max{0};
  bool resting = false;  ///< it failed and is not asked for a while

  [[nodiscard]] std::chrono::microseconds latency_mean() const {
    return replies == 0 ? latency_sum : latency_sum / static_cast<std::int64_t>(replies);
  }
  /// Adds the statistics of the same server in its other role (asked, taught).
  ServerStatistics& operator+=(const ServerStatistics& other) {
    add_counters<ServerCounts>(*this, other);
    latency_sum += other.latency_sum;
    latency_max = std::max(latency_max, other.latency_max);
    resting = resting || other.resting;
    return *this;
  }
  friend bool operator==(const ServerStatistics&, const ServerStatistics&) = default;
};

/// Reports the statistics of the servers of one rule as metrics `shingled_client_...`.
/// Threads: stateless.
void report_client(const std::string& rule, std::span<const ServerStatistics> servers,
                   MetricReport& report);

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
