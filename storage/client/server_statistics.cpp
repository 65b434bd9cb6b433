#include "storage/client/server_statistics.h"

namespace shingled::storage::client {

void report_client(const std::string& rule, std::span<const ServerStatistics> servers,
                   MetricReport& report) {
  const auto seconds = [](std::chrono::microseconds time) {
    return std::chrono::duration<double>(time).count();
  };
  for (const ServerStatistics& server : servers) {
    const MetricLabels who = {{"rule", rule}, {"server", server.server}};
    report_counters<ServerCounts>(server, report, who);
    report.gauge({"shingled_client_resting", "1 while a server that failed is left alone."},
                 std::uint64_t{server.resting ? 1U : 0U}, who);
    report.gauge({"shingled_client_mean_seconds", "Mean time to an answer, since the start."},
                 seconds(server.latency_mean()), who);
    report.gauge({"shingled_client_longest_seconds", "Longest time to an answer."},
                 seconds(server.latency_max), who);
  }
}

}  // namespace shingled::storage::client
