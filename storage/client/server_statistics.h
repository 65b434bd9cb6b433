#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

namespace shingled::storage::client {

/// What became of the packets to one address of a service since it was opened.
struct ServerStatistics {
  std::string server;          ///< "192.0.2.1:11335"
  std::uint64_t requests = 0;  ///< questions sent, repeats not counted
  std::uint64_t repeats = 0;   ///< of packets that got no answer
  std::uint64_t replies = 0;   ///< questions answered, refusals too
  std::uint64_t over_tcp = 0;  ///< of these replies, those over TCP
  std::uint64_t timeouts = 0;  ///< questions given up
  std::uint64_t errors = 0;    ///< the system would not send
  std::uint64_t strays = 0;    ///< packets that answer no open question: late, doubled, forged
  std::chrono::microseconds latency_sum{0};  ///< of all replies, from the first packet to it
  std::chrono::microseconds latency_max{0};
  std::uint64_t tcp_idle = 0;  ///< connections kept for the next questions
  bool resting = false;        ///< it failed and is left alone

  [[nodiscard]] std::chrono::microseconds latency_mean() const {
    return replies == 0 ? latency_sum : latency_sum / static_cast<std::int64_t>(replies);
  }
  /// Both together: the same server in another role.
  ServerStatistics& operator+=(const ServerStatistics& other) {
    requests += other.requests;
    over_tcp += other.over_tcp;
    repeats += other.repeats;
    replies += other.replies;
    timeouts += other.timeouts;
    errors += other.errors;
    strays += other.strays;
    latency_sum += other.latency_sum;
    latency_max = std::max(latency_max, other.latency_max);
    tcp_idle += other.tcp_idle;
    resting = resting || other.resting;
    return *this;
  }
  friend bool operator==(const ServerStatistics&, const ServerStatistics&) = default;
};

}  // namespace shingled::storage::client
