#include "milter/cli/output/tally_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "config/base/best.h"

namespace shingled::milter::cli {

namespace {

struct Tally {
  double requests = 0;
  TableRow results;
};

std::string label(const Json& labels, const char* name) {
  const auto found = labels.find(name);
  return found != labels.end() && found->is_string() ? terminal_safe(found->get<std::string>())
                                                     : "";
}

/// The owner of requests: a network, or a key by its name and its beginning.
std::string owner_of(const Json& labels) {
  std::string network = label(labels, "network");
  if (!network.empty()) return network;
  const std::string key = label(labels, "key");
  const std::string name = label(labels, "name");
  if (key == "none") return "in the clear";
  return name.empty() ? key : name + " (" + key + ")";
}

}  // namespace

std::vector<TableRow> tally_rows(const Json& samples) {
  std::map<std::string, Tally> tallies;
  for (const Json& sample : samples) {
    const auto labels = sample.is_object() ? sample.find("labels") : sample.end();
    const auto value = sample.is_object() ? sample.find("value") : sample.end();
    if (labels == sample.end() || !labels->is_object()) continue;
    if (value == sample.end() || !value->is_number() || value->get<double>() == 0) continue;
    Tally& tally = tallies[owner_of(*labels)];
    tally.requests += value->get<double>();
    tally.results.push_back(
        fmt::format("{} {}", label(*labels, "result"), std::llround(value->get<double>())));
  }
  std::vector<std::pair<std::string, Tally>> sorted(tallies.begin(), tallies.end());
  keep_best(sorted, kTallyRows,
            [](const auto& a, const auto& b) { return a.second.requests > b.second.requests; });
  std::vector<TableRow> rows;
  for (auto& [owner, tally] : sorted) {
    TableRow& row = rows.emplace_back(
        TableRow{owner, counted(static_cast<std::size_t>(tally.requests), "request", "requests")});
    row.insert(row.end(), tally.results.begin(), tally.results.end());
  }
  return rows;
}

}  // namespace shingled::milter::cli
