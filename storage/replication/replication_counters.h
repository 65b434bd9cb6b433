#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "config/metrics/counter_table.h"

namespace shingled::storage::replication {

/// What one link has done since the start. A new counter is a field and its line in `table`.
struct LinkCounts {
  std::uint64_t records = 0;      ///< that travelled
  std::uint64_t comparisons = 0;  ///< of all ranges; counted by the master
  std::uint64_t failures = 0;     ///< connections that broke or did not come about

  static constexpr auto table() {
    using Counters = LinkCounts;
    return std::to_array<CounterLine<Counters>>({
        {&Counters::records, {"shingled_replication_records", "Changes that travelled."}},
        {&Counters::comparisons,
         {"shingled_replication_comparisons", "Times both compared all they have."}},
        {&Counters::failures,
         {"shingled_replication_failures", "Connections that broke or did not come about."}},
    });
  }
  friend bool operator==(const LinkCounts&, const LinkCounts&) = default;
};
static_assert(kHasWholeTable<LinkCounts>);

/// How one link stands. The lag is what the master has and the mirror does not have yet.
struct LinkCounters : LinkCounts {
  std::string peer;
  bool connected = false;
  bool following = false;         ///< else ranges are compared, or nothing is known yet
  std::uint64_t lag_records = 0;  ///< changes of the journal
  std::uint64_t lag_seconds = 0;  ///< since the first of them, or since we last had all
  friend bool operator==(const LinkCounters&, const LinkCounters&) = default;
};

struct ReplicationCounters {
  std::vector<LinkCounters> mirrors;  ///< that we push to
  std::vector<LinkCounters> masters;  ///< that push to us; only those that are connected
  std::uint64_t refused = 0;          ///< callers that are not one of our masters
};

/// Reports the state of all links as metrics `shingled_replication_...`, with two labels: `role` of
/// the other side ("mirror", "master") and `peer`. The peer is the name of a mirror, or the address
/// of a master without its port, because the port changes with each connection. Several connections
/// of one peer are reported as one: the sum of what they carried, and the best of their states.
/// Threads: stateless.
void report_replication(const ReplicationCounters& counters, MetricReport& report);

}  // namespace shingled::storage::replication
