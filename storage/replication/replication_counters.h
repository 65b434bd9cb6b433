#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shingled::storage::replication {

/// How one link stands. Seconds and records of lag: what the master has and the mirror has not.
struct LinkCounters {
  std::string peer;
  bool connected = false;
  bool following = false;         ///< else ranges are compared, or nothing is known yet
  std::uint64_t lag_records = 0;  ///< changes of the journal
  std::uint64_t lag_seconds = 0;  ///< since the first of them, or since we last had all
  std::uint64_t records = 0;      ///< that travelled since the start
  std::uint64_t comparisons = 0;  ///< of all ranges; counted by the master
  std::uint64_t failures = 0;     ///< connections that broke or did not come about
  friend bool operator==(const LinkCounters&, const LinkCounters&) = default;
};

struct ReplicationCounters {
  std::vector<LinkCounters> mirrors;  ///< that we push to
  std::vector<LinkCounters> masters;  ///< that push to us; only those that are connected
  std::uint64_t refused = 0;          ///< callers that were no master of ours
};

}  // namespace shingled::storage::replication
