#include "storage/replication/replication_counters.h"

#include <map>

namespace shingled::storage::replication {

namespace {

std::string without_port(const std::string& address) {
  return address.substr(0, address.rfind(':'));
}

void merge(LinkCounters& into, const LinkCounters& link) {
  const bool better = link.connected && (!into.connected || link.lag_records < into.lag_records);
  if (better) {
    into.lag_records = link.lag_records;
    into.lag_seconds = link.lag_seconds;
  }
  into.connected |= link.connected;
  into.following |= link.following;
  add_counters<LinkCounts>(into, link);
}

void tell(const char* role, const LinkCounters& link, MetricReport& report) {
  const MetricLabels who = {{"role", role}, {"peer", link.peer}};
  const auto yes = [](bool is) { return std::uint64_t{is ? 1U : 0U}; };
  report.gauge({"shingled_replication_connected", "1 while there is a connection."},
               yes(link.connected), who);
  report.gauge({"shingled_replication_following", "1 while changes arrive as they are made."},
               yes(link.following), who);
  report.gauge({"shingled_replication_lag_records", "Changes that the mirror does not have yet."},
               link.lag_records, who);
  report.gauge({"shingled_replication_lag_seconds",
                "Age of the oldest change that the mirror does not have yet."},
               link.lag_seconds, who);
  report_counters<LinkCounts>(link, report, who);
}

void tell_all(const char* role, const std::map<std::string, LinkCounters>& links,
              MetricReport& report) {
  for (const auto& [peer, link] : links) tell(role, link, report);
}

std::map<std::string, LinkCounters> by_peer(const std::vector<LinkCounters>& links,
                                            std::string (*name)(const std::string&)) {
  std::map<std::string, LinkCounters> peers;
  for (const LinkCounters& link : links) {
    const auto [place, is_new] = peers.try_emplace(name(link.peer), link);
    place->second.peer = place->first;
    if (!is_new) merge(place->second, link);
  }
  return peers;
}

}  // namespace

void report_replication(const ReplicationCounters& counters, MetricReport& report) {
  tell_all("mirror", by_peer(counters.mirrors, [](const std::string& peer) { return peer; }),
           report);
  tell_all("master", by_peer(counters.masters, without_port), report);
  report.counter({"shingled_replication_refused", "Callers that are not one of our masters."},
                 counters.refused);
}

}  // namespace shingled::storage::replication
