#include <sysexits.h>

#include <array>
#include <nlohmann/json.hpp>

#include "milter/cli/access/printing.h"
#include "milter/cli/policy/policy_commands.h"
#include "milter/features/feature.h"
#include "milter/model/columns.h"
#include "milter/policy/counter_feature.h"

namespace shingled::milter::cli {

namespace {

using policy::CounterFeature;

void print_feature_json(const features::FeatureRow& row, Console& console) {
  Json json = {{"name", row.name}, {"type", to_string(row.type)},
               {"unit", row.unit}, {"source", row.source},
               {"help", row.help}, {"window", false}};
  if (!row.words.empty()) json["words"] = row.words;
  if (row.most) json["most"] = *row.most;
  console.json(json);
}

void print_name_json(const features::NameRow& row, Console& console) {
  console.json({{"name", row.word},
                {"type", "name"},
                {"form", to_string(row.form)},
                {"unit", ""},
                {"source", row.source},
                {"help", row.help},
                {"example", row.example},
                {"window", false},
                {"several", row.several}});
}

void print_counter_json(const CounterFeature& feature, Console& console) {
  Json json = {{"name", policy::to_string(feature)},
               {"type", "number"},
               {"unit", policy::unit_of(feature)},
               {"source", "counters"},
               {"help", policy::help_of(feature)},
               {"window", true},
               {"several", policy::has_several(feature.type)}};
  const auto whole = policy::whole_of(feature);
  if (whole) json["share_of"] = storage::counters::to_string(*whole);
  console.json(json);
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

void print_tables(Console& console) {
  std::vector<TableRow> rows = {{"feature", "type", "unit", "from", "meaning"}};
  for (const features::FeatureRow& row : features::features()) {
    rows.push_back({std::string(row.name), std::string(to_string(row.type)), std::string(row.unit),
                    std::string(row.source), std::string(row.help)});
  }
  print_table(rows, "", console);
  console.line("");
  rows = {{"name", "form", "from", "meaning"}};
  for (const features::NameRow& row : features::names()) {
    rows.push_back({std::string(row.word), std::string(to_string(row.form)),
                    std::string(row.source), std::string(row.help)});
  }
  print_table(rows, "", console);
  console.line("");
  rows = {{"counter", "meaning", "measures"}};
  for (const std::string& counter : policy::counter_names()) {
    const PieceTypeRow* const type = find_piece_type(counter);
    rows.push_back({counter, type == nullptr ? "" : std::string(type->meaning),
                    joined(policy::measure_names(counter))});
  }
  print_table(rows, "", console);
}

void print_columns(bool json, Console& console) {
  std::vector<TableRow> rows = {{"column", "more of it", "meaning"}};
  constexpr std::array<const char*, 3> kDirections = {"never against", "", "never for"};
  for (const model::Column& column : model::columns()) {
    if (json) {
      console.json({{"name", column.name},
                    {"help", column.help},
                    {"direction", column.direction},
                    {"suspect", model::is_suspect(column.name)}});
    } else {
      rows.push_back(
          {column.name, kDirections[static_cast<std::size_t>(column.direction + 1)], column.help});
    }
  }
  if (!json) print_table(rows, "", console);
}

}  // namespace

int run_features(const FeaturesArguments& arguments, Console& console) {
  if (arguments.model) {
    print_columns(arguments.json, console);
    return EX_OK;
  }
  if (!arguments.json) {
    print_tables(console);
    return EX_OK;
  }
  for (const features::FeatureRow& row : features::features()) print_feature_json(row, console);
  for (const features::NameRow& row : features::names()) print_name_json(row, console);
  for (const CounterFeature& feature : policy::counter_features())
    print_counter_json(feature, console);
  return EX_OK;
}

}  // namespace shingled::milter::cli
