#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>

#include "config/metrics/counter_table.h"
#include "config/metrics/metric_report.h"

namespace shingled::storage::client {

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

}  // namespace shingled::storage::client
