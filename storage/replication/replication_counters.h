#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "config/metrics/counter_table.h"

namespace shingled::storage::replication {

/// The counters of one link since the start. To add a counter, add a field and its line in `table`.
struct LinkCounts {
  std::uint64_t records = 0;      ///< sent or received
  std::uint64_t comparisons = 0;  ///< of all ranges; counted by the master
  std::uint64_t failures = 0;     ///< failed and broken connections

  static constexpr auto table() {
    using Counters = LinkCounts;
    return std::to_array<CounterLine<Counters>>({
        {&Counters::records,
         {"shingled_replication_records", "Changes that were sent or received."}},
        {&Counters::comparisons,
         {"shingled_replication_comparisons", "Comparisons of all ranges."}},
        {&Counters::failures,
         {"shingled_replication_failures", "Connections that failed or broke."}},
    });
  }
  friend bool operator==(const LinkCounts&, const LinkCounts&) = default;
};
static_assert(kHasWholeTable<LinkCounts>);

/// The state of one link. The lag tells what the mirror does not have yet.
struct LinkCounters : LinkCounts {
  std::string peer;
  bool connected = false;
  bool following = false;         ///< false: ranges are compared, or the position is not known yet
  std::uint64_t lag_records = 0;  ///< entries of the journal
  std::uint64_t lag_seconds = 0;  ///< age of the first of them, or time since we had all
  friend bool operator==(const LinkCounters&, const LinkCounters&) = default;
};

struct ReplicationCounters {
  std::vector<LinkCounters> mirrors;  ///< to which we push
  std::vector<LinkCounters> masters;  ///< that push to us and are connected
  std::uint64_t refused = 0;          ///< callers that are not one of our masters
};

/// Reports the state of all links as metrics `shingled_replication_...`, with two labels: `role` of
/// the other side ("mirror", "master") and `peer`. The peer is the name of a mirror, or the address
/// of a master without its port, because the port changes with each connection. Several connections
/// of one peer are reported as one: the sum of what they carried, and the best of their states.
/// Threads: stateless.
void report_replication(const ReplicationCounters& counters, MetricReport& report);

}  // namespace shingled::storage::replication
