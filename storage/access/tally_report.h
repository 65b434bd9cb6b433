#pragma once

#include <string>
#include <vector>

#include "config/metrics/metric_report.h"
#include "storage/access/request_outcome.h"
#include "storage/access/source_tally.h"

namespace shingled::storage::access {

/// The requests of one key as they are told.
struct KeyReading {
  std::string id;    ///< the beginning of the public key; "none" for requests in the clear
  std::string name;  ///< as configured, or empty
  RequestOutcomeCounts counts;
};

inline constexpr std::size_t kKeysTold = 256;    ///< those with most requests; others together
inline constexpr std::size_t kSourcesTold = 64;  ///< the same for networks

/// `shingled_server_key_requests` by key and result. Nothing secret is in it.
void report_keys(std::vector<KeyReading> keys, MetricReport& report);

/// `shingled_server_source_requests` by network and result, of all workers together. Gauges, not
/// counters: what falls out of a table or of the list goes to "other".
void report_sources(const std::vector<SourceTally::Reading>& workers, MetricReport& report);

}  // namespace shingled::storage::access
