#include "milter/view/lines/status_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "config/base/best.h"

namespace shingled::milter::view {

namespace {

constexpr std::string_view kPrefix = "shingled_";
constexpr std::string_view kFlagRecords = "shingled_storage_flag_records";
constexpr std::string_view kFlagValue = "shingled_storage_flag_value";
constexpr std::string_view kKeyRequests = "shingled_server_key_requests";
constexpr std::string_view kSourceRequests = "shingled_server_source_requests";
constexpr std::size_t kLabelledShown = 20;  ///< samples of one metric; the largest ones
constexpr std::size_t kTallyRows = 20;

struct Tally {
  double requests = 0;
  terminal::TableRow results;
};

std::string label(const Json& labels, const char* name) {
  const auto found = labels.find(name);
  return found != labels.end() && found->is_string()
             ? terminal::terminal_safe(found->get<std::string>())
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

/// Samples that have a label "result", one row for all that have the other labels in common, those
/// with most requests first and at most kTallyRows: `alice (k7kd…)  12 requests  matched 3  added
/// 1`.
std::vector<terminal::TableRow> tally_rows(const Json& samples) {
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
  std::vector<terminal::TableRow> rows;
  for (auto& [owner, tally] : sorted) {
    terminal::TableRow& row = rows.emplace_back(terminal::TableRow{
        owner, terminal::counted(static_cast<std::size_t>(tally.requests), "request", "requests")});
    row.insert(row.end(), tally.results.begin(), tally.results.end());
  }
  return rows;
}

std::string in_words(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

/// The value of a metric with its unit, for people.
std::string number_text(std::string_view metric, double value) {
  if (metric.ends_with("_seconds")) return seconds_text(value);
  if (metric.ends_with("_bytes")) return bytes_text(value);
  return fmt::format("{}", std::llround(value));
}

/// "17 times, p50 0.100 ms, p90 1.000 ms, p99 2.500 ms, mean 0.212 ms"
std::string histogram_text(std::string_view metric, const Json& value) {
  const double count = value.value("count", 0.0);
  std::string text = fmt::format("{} times", std::llround(count));
  for (const char* quantile : {"p50", "p90", "p99"}) {
    const auto found = value.find(quantile);
    if (found == value.end() || !found->is_number()) continue;
    text += fmt::format(", {} {}", quantile, number_text(metric, found->get<double>()));
  }
  return text + ", mean " + number_text(metric, value.value("sum", 0.0) / count);
}

/// The number of a sample, or the count of its histogram.
double weight_of(const Json& sample) {
  const auto value = sample.find("value");
  if (value == sample.end()) return 0;
  if (value->is_number()) return value->get<double>();
  return value->is_object() ? value->value("count", 0.0) : 0;
}

std::string labels_text(const Json& sample) {
  std::string text;
  const auto labels = sample.find("labels");
  if (labels == sample.end() || !labels->is_object()) return text;
  for (const auto& [key, value] : labels->items()) {
    if (!value.is_string()) continue;
    text += (text.empty() ? "" : " ") + terminal::terminal_safe(value.get<std::string>());
  }
  return text;
}

std::string sample_text(std::string_view metric, const Json& sample) {
  const Json& value = sample.at("value");
  return value.is_object() ? histogram_text(metric, value)
                           : number_text(metric, value.get<double>());
}

/// The rows of one metric; none if nothing was counted.
std::vector<terminal::TableRow> metric_rows(const std::string& metric, std::string_view name,
                                            const Json& samples) {
  std::vector<const Json*> told;
  for (const Json& sample : samples) {
    if (sample.is_object() && weight_of(sample) != 0) told.push_back(&sample);
  }
  const auto heavier = [](const Json* a, const Json* b) { return weight_of(*a) > weight_of(*b); };
  if (told.size() > kLabelledShown) keep_best(told, kLabelledShown, heavier);
  std::vector<terminal::TableRow> rows;
  for (const Json* sample : told) {
    const std::string labels = labels_text(*sample);
    rows.push_back(
        {in_words(name) + (labels.empty() ? "" : ": " + labels), sample_text(metric, *sample)});
  }
  return rows;
}

std::vector<terminal::TableRow> list_rows(const Json& metrics, const FlagMap& flags) {
  std::vector<terminal::TableRow> rows;
  const auto records = metrics.find(kFlagRecords);
  const auto values = metrics.find(kFlagValue);
  if (records == metrics.end() || !records->is_array()) return rows;
  for (const Json& sample : *records) {
    const std::string number = labels_text(sample);
    const auto flag = flags.number(number);
    const FlagOptions* named = flag ? flags.find(*flag) : nullptr;
    double value = 0;
    for (const Json& other : values != metrics.end() ? *values : Json::array()) {
      if (labels_text(other) == number) value = weight_of(other);
    }
    rows.push_back(
        {named != nullptr ? named->name + " (" + number + ")" : number,
         terminal::counted(static_cast<std::size_t>(weight_of(sample)), "hash", "hashes"),
         fmt::format("value {}", std::llround(value))});
  }
  return rows;
}

/// These are shown as tables of their own.
bool has_a_table(std::string_view metric) {
  return metric == kFlagRecords || metric == kFlagValue || metric == kKeyRequests ||
         metric == kSourceRequests;
}

void append_section(std::vector<std::string>& lines, std::string_view title,
                    const std::vector<terminal::TableRow>& rows) {
  if (rows.empty()) return;
  lines.push_back("  " + std::string(title));
  for (std::string& line : terminal::table_lines(rows, "    ")) lines.push_back(std::move(line));
}

}  // namespace

std::optional<double> page_total(const Json& page, const std::string& metric) {
  const auto metrics = page.find("metrics");
  if (metrics == page.end() || !metrics->is_object()) return std::nullopt;
  const auto samples = metrics->find(metric);
  if (samples == metrics->end() || !samples->is_array()) return std::nullopt;
  double sum = 0;
  for (const Json& sample : *samples) sum += sample.is_object() ? weight_of(sample) : 0;
  return sum;
}

std::vector<std::string> status_lines(const Json& page, const FlagMap& flags) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("  {} for {}, version {}",
                              terminal::terminal_safe(page.value("state", std::string("?"))),
                              seconds_text(page.value("uptime", 0.0)),
                              terminal::terminal_safe(page.value("version", std::string("?")))));
  const auto metrics = page.find("metrics");
  if (metrics == page.end() || !metrics->is_object()) return lines;
  append_section(lines, "lists", list_rows(*metrics, flags));
  for (const auto& [title, metric] :
       {std::pair{"keys", kKeyRequests}, {"sources", kSourceRequests}}) {
    const auto samples = metrics->find(metric);
    if (samples != metrics->end() && samples->is_array())
      append_section(lines, title, tally_rows(*samples));
  }
  // A section is the first word of the names; metrics of one section stand together.
  std::vector<std::pair<std::string, std::vector<terminal::TableRow>>> sections;
  for (const auto& [metric, samples] : metrics->items()) {
    if (!samples.is_array() || has_a_table(metric)) continue;
    std::string_view name = metric;
    if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
    const std::size_t word = name.find('_');
    const std::string title(name.substr(0, word));
    if (word != std::string_view::npos) name.remove_prefix(word + 1);
    auto section = std::find_if(sections.begin(), sections.end(),
                                [&](const auto& known) { return known.first == title; });
    if (section == sections.end()) section = sections.insert(sections.end(), {title, {}});
    for (terminal::TableRow& row : metric_rows(metric, name, samples)) {
      section->second.push_back(std::move(row));
    }
  }
  for (const auto& [title, rows] : sections)
    append_section(lines, terminal::terminal_safe(title), rows);
  return lines;
}

}  // namespace shingled::milter::view
