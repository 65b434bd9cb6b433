#include <fmt/format.h>
#include <sysexits.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "config/base/clock.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/model/model_commands.h"
#include "milter/learning/model_status.h"
#include "milter/learning/model_trial.h"
#include "milter/model/model_file.h"
#include "milter/replay/history_span.h"

namespace shingled::milter::cli {

namespace {

using learning::ModelTrial;
constexpr std::size_t kFeaturesPrinted = 15;

std::string percent_text(const Json& share) {
  return share.is_number() ? fmt::format("{:.1f} %", 100 * share.get<double>()) : "-";
}

std::string word_or_dash(const Json& value) {
  if (value.is_string()) return terminal_safe(value.get<std::string>());
  return value.is_null() ? "-" : value.dump();
}

void print_figures(const Json& figures, Console& console) {
  if (!figures.is_object()) return console.line("no figures: it was imported");
  console.line(fmt::format("On {} bad and {} wanted messages that its training did not see:",
                           word_or_dash(figures["bad"]), word_or_dash(figures["wanted"])));
  std::vector<TableRow> rows = {{"found", "at no wanted message", "at one in a thousand"}};
  for (const auto& [name, text] :
       {std::pair("rules", "rules alone"), std::pair("model", "model alone"),
        std::pair("both", "both"), std::pair("before", "with the model before")}) {
    const Json& recall = figures[name];
    if (!recall.is_object()) continue;
    rows.push_back({text, percent_text(recall["recall_0"]), percent_text(recall["recall_1000"])});
  }
  print_table(rows, "  ", console);
}

void print_features(const Json& features, Console& console) {
  std::vector<TableRow> rows = {{"leans on", "share", "unknown in training", "now", ""}};
  for (const Json& feature : features) {
    if (rows.size() > kFeaturesPrinted) break;
    rows.push_back({word_or_dash(feature["name"]), percent_text(feature["share"]),
                    percent_text(feature["unknown"]), percent_text(feature["unknown_now"]),
                    feature["suspect"] == true ? "may only tell sources apart" : ""});
  }
  print_table(rows, "  ", console);
}

void print_drift(const Json& drift, Console& console) {
  if (!drift.is_object()) return;
  console.line(
      fmt::format("Last week, {} messages: {} of its features unknown (in training {}); "
                  "its scores differ by {}",
                  word_or_dash(drift["messages"]), percent_text(drift["unknown_now"]),
                  percent_text(drift["unknown"]), percent_text(drift["distance"])));
}

void print_status(const Json& status, Console& console) {
  if (status.contains("off")) console.line("Off: " + word_or_dash(status["off"]));
  if (status["id"].is_string()) {
    console.line(fmt::format("Model {} of {}, {}, {} trees on {} features; mode {}",
                             word_or_dash(status["id"]), word_or_dash(status["trained"]),
                             word_or_dash(status["trainer"]), word_or_dash(status["trees"]),
                             word_or_dash(status["columns"]), word_or_dash(status["mode"])));
    print_figures(status["figures"], console);
    print_features(status["features"], console);
    print_drift(status["drift"], console);
    const Json& promotion = status["promotion"];
    console.line(fmt::format("Stage {} by {}{}{}", word_or_dash(promotion["stage"]),
                             word_or_dash(promotion["by"]), promotion["why_not"] == "" ? "" : ": ",
                             word_or_dash(promotion["why_not"])));
  }
  if (const Json& needs = status["needs"]; needs.is_object())
    console.line(fmt::format("The history teaches {} bad and {} wanted messages, needed {} and {}",
                             word_or_dash(needs["bad"]), word_or_dash(needs["wanted"]),
                             word_or_dash(needs["bad_min"]), word_or_dash(needs["wanted_min"])));
  if (const Json& run = status["run"]; run["result"].is_string())
    console.line(fmt::format("Last training {}: {}: {}", word_or_dash(run["last"]),
                             word_or_dash(run["result"]), word_or_dash(run["text"])));
}

Json part_json(const ModelTrial::Part& part) {
  return {{"messages", part.messages},
          {"marked_before", part.marked_before},
          {"marked_with", part.marked_with},
          {"stopped_before", part.stopped_before},
          {"stopped_with", part.stopped_with}};
}

void print_trial(const ModelTrial& trial, bool json, Console& console) {
  constexpr std::array<const char*, 3> kLabels = {"none", "spam", "ham"};
  if (json) {
    Json out = Json::object();
    for (std::size_t i = 0; i < kLabels.size(); ++i) out[kLabels[i]] = part_json(trial.parts[i]);
    Json changes = Json::array();
    for (const ModelTrial::Change& change : trial.changes)
      changes.push_back({{"queue_id", change.queue_id},
                         {"time", replay::moment_text(change.time)},
                         {"from", rules::to_string(change.from)},
                         {"to", rules::to_string(change.to)},
                         {"score", change.score},
                         {"why", model::word_text(change.word)}});
    out["broken"] = trial.broken;
    out["changes"] = std::move(changes);
    return console.json(out);
  }
  std::vector<TableRow> rows = {
      {"people said", "messages", "marked before", "with it", "stopped before", "with it"}};
  for (std::size_t i = 0; i < kLabels.size(); ++i) {
    const ModelTrial::Part& part = trial.parts[i];
    rows.push_back({i == 0 ? "nothing" : kLabels[i], std::to_string(part.messages),
                    std::to_string(part.marked_before), std::to_string(part.marked_with),
                    std::to_string(part.stopped_before), std::to_string(part.stopped_with)});
  }
  print_table(rows, "", console);
  for (const ModelTrial::Change& change : trial.changes)
    console.line(fmt::format("{} {}: {} instead of {}; {:.2f} and {}",
                             replay::moment_text(change.time), terminal_safe(change.queue_id),
                             rules::to_string(change.to), rules::to_string(change.from),
                             change.score, model::word_text(change.word)));
}

}  // namespace

int run_model_show(const ModelShowArguments& arguments, Console& console) {
  const auto settings = arguments.settings->load(console);
  if (settings == nullptr) return EX_CONFIG;
  learning::ModelStatus status = learning::status_now(settings);
  const SystemClock clock;
  const bool live = status.in_force != nullptr && status.in_force->live;
  if (settings->history.enabled) {
    auto survey =
        learning::survey_history(*settings, status.in_force.get(), live ? status.decision.since : 0,
                                 clock.wall(), [](const storage::WorkDone&) { return true; });
    if (survey) status.survey = *std::move(survey);
    if (!survey) console.note("the history: " + terminal_safe(survey.error().message));
  }
  const Json json = learning::status_json(status);
  if (arguments.json) {
    console.json(json);
  } else {
    print_status(json, console);
  }
  return EX_OK;
}

int run_model_try(const ModelTryArguments& arguments, Console& console) {
  const auto settings = arguments.settings->load(console);
  if (settings == nullptr) return EX_CONFIG;
  const auto fail = [&](const Error& error) {
    console.error("model try", terminal_safe(error.message));
    return exit_code(error.code);
  };
  const SystemClock clock;
  const auto span = replay::span_of(arguments.span, clock.wall());
  if (!span) {
    console.error("model try", span.error().message);
    return EX_USAGE;
  }
  auto model = model::read_model(arguments.file.empty() ? settings->model.file : arguments.file);
  if (!model) return fail(model.error());
  const model::ModelInForce in_force(*std::move(model), settings->policy.model, true);
  const auto trial =
      learning::try_model(settings->history.file, *span, in_force, settings->milter.actions,
                          [](const storage::WorkDone&) { return true; });
  if (!trial) return fail(trial.error());
  print_trial(*trial, arguments.json, console);
  return EX_OK;
}

}  // namespace shingled::milter::cli
