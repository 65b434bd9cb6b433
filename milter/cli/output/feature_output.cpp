#include "milter/cli/output/feature_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace shingled::milter::cli {

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

std::string amounts_text(const storage::counters::Amounts& amounts) {
  std::string out;
  for (std::size_t i = 0; i < storage::counters::kMeasures; ++i) {
    if (amounts.counts[i] == 0) continue;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ",
                       to_string(static_cast<storage::counters::Measure>(i)), amounts.counts[i]);
  }
  return out.empty() ? "0" : out;
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

}  // namespace shingled::milter::cli
