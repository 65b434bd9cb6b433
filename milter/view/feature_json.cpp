#include "milter/view/feature_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace shingled::milter::view {

Json features_json(const features::FeatureValues& values) {
  using features::FeatureRow;
  Json out = Json::object();
  for (const FeatureRow& row : features::features()) {
    Json& value = out[std::string(row.name)];
    if (!values.is_known(row.feature)) continue;
    if (row.type == FeatureRow::Type::kWord) {
      value = values.word(row.feature);
    } else if (row.type == FeatureRow::Type::kYesNo) {
      value = values.number(row.feature) != 0;
    } else {
      value = values.number(row.feature);
    }
  }
  return out;
}

namespace {

/// Calls `take(measure, count)` for each measure that is not 0.
template <typename Take>
void each_measure(const features::Sums& sums, Take take) {
  constexpr std::size_t kAll = storage::counters::kMeasures + storage::counters::kSaidMeasures;
  for (std::size_t i = 0; i < kAll; ++i) {
    const auto measure = static_cast<storage::counters::Measure>(i);
    if (sums.of(measure) != 0) take(to_string(measure), sums.of(measure));
  }
}

}  // namespace

std::string sums_text(const features::Sums& sums) {
  std::string out;
  each_measure(sums, [&](std::string_view name, std::uint64_t count) {
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, count);
  });
  return out.empty() ? "0" : out;
}

Json sums_json(const features::Sums& sums) {
  Json out = Json::object();
  each_measure(sums,
               [&](std::string_view name, std::uint64_t count) { out[std::string(name)] = count; });
  return out;
}

Json names_json(const features::MessageNames& names) {
  Json out = Json::object();
  for (const features::NameRow& row : features::names()) {
    Json& value = out[std::string(row.word)] = nullptr;
    if (!names.is_known(row.name)) continue;
    value = Json::array();
    for (const std::string& each : names.values(row.name)) value.push_back(each);
  }
  return out;
}

}  // namespace shingled::milter::view
