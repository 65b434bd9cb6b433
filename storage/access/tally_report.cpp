#include "storage/access/tally_report.h"

#include <map>

#include "config/base/best.h"

namespace shingled::storage::access {

namespace {

/// Adds up what stands behind the first `most`, heaviest first.
template <typename Item>
RequestOutcomeCounts cut(std::vector<Item>& items, std::size_t most) {
  const auto heavier = [](const Item& a, const Item& b) { return a.counts.sum() > b.counts.sum(); };
  RequestOutcomeCounts rest;
  for (const Item& item : keep_best(items, most, heavier)) rest += item.counts;
  return rest;
}

/// Calls `tell(count, result)` for every result there was.
template <typename Tell>
void each_result(const RequestOutcomeCounts& counts, const Tell& tell) {
  for (std::size_t i = 0; i < kOutcomes; ++i) {
    if (counts.counts[i] != 0) tell(counts.counts[i], std::string(kOutcomeNames[i]));
  }
}

}  // namespace

void report_keys(std::vector<KeyReading> keys, MetricReport& report) {
  const RequestOutcomeCounts rest = cut(keys, kKeysTold);
  keys.push_back({"other", "", rest});
  for (const KeyReading& key : keys) {
    each_result(key.counts, [&](std::uint64_t count, std::string result) {
      report.counter({"shingled_server_key_requests", "Requests by the key they were sealed with."},
                     count, {{"key", key.id}, {"name", key.name}, {"result", std::move(result)}});
    });
  }
}

void report_sources(const std::vector<SourceTally::Reading>& workers, MetricReport& report) {
  std::map<IpAddress, RequestOutcomeCounts> merged;
  RequestOutcomeCounts other;
  for (const SourceTally::Reading& worker : workers) {
    for (const SourceTally::Entry& entry : worker.entries)
      merged[entry.network.address] += entry.counts;
    other += worker.other;
  }
  struct Source {
    std::string name;
    RequestOutcomeCounts counts;
  };
  std::vector<Source> sources;
  for (const auto& [ip, counts] : merged) {
    const bool v4 = ip.family == IpAddress::Family::kV4;
    const int bits = v4 ? SourceTally::kBitsV4 : SourceTally::kBitsV6;
    sources.push_back({Network{ip, bits}.to_string(), counts});
  }
  other += cut(sources, kSourcesTold);
  sources.push_back({"other", other});
  for (const Source& source : sources) {
    each_result(source.counts, [&](std::uint64_t count, std::string result) {
      report.gauge({"shingled_server_source_requests", "Requests of the networks that ask most."},
                   count, {{"network", source.name}, {"result", std::move(result)}});
    });
  }
}

}  // namespace shingled::storage::access
