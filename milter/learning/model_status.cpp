#include "milter/learning/model_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "milter/model/columns.h"
#include "milter/model/model_file.h"
#include "milter/promotion/decide.h"
#include "milter/replay/history_span.h"

namespace shingled::milter::learning {

namespace {

using model::ModelDecision;

constexpr std::size_t kFeaturesShown = 40;
constexpr std::int64_t kMicroseconds = 1'000'000;

Json time_json(std::int64_t seconds) {
  return seconds <= 0 ? Json(nullptr) : Json(replay::moment_text(seconds * kMicroseconds));
}

Json recall_json(const model::Recall& recall) {
  return {{"recall_0", recall.at_none}, {"recall_1000", recall.at_thousandth}};
}

Json figures_json(const model::Model& model) {
  if (!model.has_figures) return nullptr;
  const model::Figures& figures = model.figures;
  return {{"bad", figures.bad},
          {"wanted", figures.wanted},
          {"calibration_error", figures.calibration_error},
          {"rules", recall_json(figures.rules)},
          {"model", recall_json(figures.model)},
          {"both", recall_json(figures.both)},
          {"before", figures.has_before ? recall_json(figures.before) : Json(nullptr)}};
}

Json training_json(const model::TrainedOn& from) {
  return {
      {"since", time_json(from.since)}, {"until", time_json(from.until)}, {"bad", from.bad},
      {"wanted", from.wanted},          {"reported", from.reported},      {"rescued", from.rescued},
      {"left_out", from.left_out}};
}

/// By gain.
std::vector<std::size_t> order_of(const model::Model& model) {
  std::vector<std::size_t> out(model.features.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = i;
  std::ranges::stable_sort(out, std::greater<>(),
                           [&](std::size_t i) { return model.features[i].gain; });
  return out;
}

bool has_drift(const ModelStatus& status) {
  return status.survey.done && status.in_force != nullptr && status.survey.messages > 0 &&
         status.survey.unknown.size() == status.in_force->model.features.size();
}

Json features_json(const ModelStatus& status) {
  const model::Model& model = status.in_force->model;
  Json out = Json::array();
  for (const std::size_t i : order_of(model)) {
    if (out.size() == kFeaturesShown) break;
    const model::ModelFeature& feature = model.features[i];
    const auto column = model::find_column(feature.name);
    out.push_back(
        {{"name", feature.name},
         {"help", column ? model::columns()[*column].help : ""},
         {"share", feature.gain},
         {"suspect", model::is_suspect(feature.name)},
         {"unknown", feature.unknown < 0 ? Json(nullptr) : Json(feature.unknown)},
         {"unknown_now", has_drift(status) ? Json(status.survey.unknown[i]) : Json(nullptr)}});
  }
  return out;
}

Json drift_json(const ModelStatus& status) {
  if (!has_drift(status)) return nullptr;
  const model::Model& model = status.in_force->model;
  double trained = 0;
  double now = 0;
  bool known = !model.features.empty();
  for (std::size_t i = 0; i < model.features.size(); ++i) {
    known = known && model.features[i].unknown >= 0;
    trained += model.features[i].unknown;
    now += status.survey.unknown[i];
  }
  const auto count = static_cast<double>(std::max<std::size_t>(model.features.size(), 1));
  Json scores = Json::array();
  for (std::size_t i = 0; i < model::kScoreParts; ++i) {
    const auto edge = [&](std::size_t part) {
      return (2.0 * static_cast<double>(part) / model::kScoreParts - 1) *
             status.in_force->score_max;
    };
    scores.push_back({{"from", edge(i)},
                      {"to", edge(i + 1)},
                      {"trained", model.scores[i]},
                      {"now", status.survey.scores[i]}});
  }
  return {{"since", time_json(status.survey.since / kMicroseconds)},
          {"messages", status.survey.messages},
          {"unknown", known ? Json(trained / count) : Json(nullptr)},
          {"unknown_now", now / count},
          {"distance", distance_of(model.scores, status.survey.scores)},
          {"scores", std::move(scores)}};
}

Json needs_json(const Survey& survey) {
  if (!survey.done) return nullptr;
  const Missing missing = missing_of(survey.bad, survey.wanted, survey.first, survey.last);
  return {{"bad", survey.bad},
          {"bad_min", kBadMin},
          {"wanted", survey.wanted},
          {"wanted_min", kWantedMin},
          {"days", missing.days < 0 ? Json(nullptr) : Json(missing.days)}};
}

Json promotion_json(const ModelStatus& status) {
  const config::RuleFigures& figures = status.survey.figures;
  const bool person = status.decision.by == ModelDecision::By::kPerson;
  const bool by_settings = !person && status.settings->policy.model.mode == ModelMode::kScore;
  return {{"stage", by_settings ? "live" : to_string(status.decision.stage)},
          {"since", time_json(status.decision.since)},
          {"by", by_settings ? "settings" : to_string(status.decision.by)},
          {"messages", figures.messages},
          {"reported", figures.reported},
          {"rescued", figures.rescued},
          {"correspondents", figures.correspondents},
          {"unreported", figures.unreported},
          {"why_not", status.survey.done ? promotion::why_not(figures, status.survey.unreported)
                                         : "the history was not looked at yet"}};
}

std::string why_off(const ModelStatus& status) {
  const Settings& settings = *status.settings;
  if (settings.policy.model.mode == ModelMode::kOff) return "policy.model.mode is off";
  if (settings.model.file.empty()) return "model.file is empty";
  if (!status.unreadable.empty()) return status.unreadable;
  if (status.in_force != nullptr) return {};
  if (!settings.history.enabled) return "there is no model, and no history (history.enabled)";
  std::string out = "there is no model yet";
  if (status.survey.done) {
    const Survey& survey = status.survey;
    const std::string missing =
        missing_text(survey.bad, survey.wanted,
                     missing_of(survey.bad, survey.wanted, survey.first, survey.last));
    if (!missing.empty()) out += ": " + missing;
  }
  if (settings.model.train == ModelTrain::kOff) out += " (model.train is off)";
  return out;
}

std::string_view mode_word(ModelMode mode) {
  return mode == ModelMode::kOff ? "off" : mode == ModelMode::kScore ? "score" : "shadow";
}

Json run_json(const ModelStatus& status) {
  Json out = {{"state", status.running     ? "running"
                        : status.can_train ? "idle"
                                           : "absent"},
              {"last", nullptr},
              {"result", nullptr},
              {"text", ""}};
  if (status.last) {
    out["last"] = time_json(status.last->time);
    out["result"] = to_string(status.last->kind);
    out["text"] = status.last->text;
  }
  return out;
}

}  // namespace

double distance_of(const model::ScoreShares& a, const model::ScoreShares& b) {
  double out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) out += std::abs(a[i] - b[i]) / 2;
  return out;
}

ModelStatus status_now(const std::shared_ptr<const Settings>& settings) {
  ModelStatus out;
  out.settings = settings;
  auto opened = model::open_model(settings->model, settings->policy);
  if (opened) {
    out.in_force = *std::move(opened);
  } else {
    out.unreadable = opened.error().message;
  }
  out.decision = model::read_decision(settings->model);
  out.last = read_result(settings->model.file);
  out.can_train = !training_program().empty();
  if (const auto before = model::read_model(model::file_before(settings->model.file)))
    out.before = ModelStatus::Before{before->id, before->trained};
  return out;
}

Json status_json(const ModelStatus& status) {
  const Settings& settings = *status.settings;
  const model::ModelInForce* const in_force = status.in_force.get();
  Json out = Json::object();
  if (const std::string why = why_off(status); !why.empty()) out["off"] = why;
  out["mode"] = in_force == nullptr ? "off" : in_force->live ? "score" : "shadow";
  out["settings_mode"] = mode_word(settings.policy.model.mode);
  out["score_max"] = settings.policy.model.score_max;
  out["promote"] = to_string(settings.policy.promote);
  for (const char* name :
       {"trained", "id", "trainer", "trees", "columns", "training", "figures", "features", "drift"})
    out[name] = nullptr;
  if (in_force != nullptr) {
    const model::Model& model = in_force->model;
    out["trained"] = time_json(model.trained);
    out["id"] = model.id;
    out["trainer"] = model.trainer;
    out["trees"] = model.trees.size();
    out["columns"] = model.features.size();
    out["training"] = training_json(model.from);
    out["figures"] = figures_json(model);
    out["features"] = features_json(status);
    out["drift"] = drift_json(status);
  }
  out["before"] = nullptr;
  if (status.before)
    out["before"] = {{"id", status.before->id}, {"trained", time_json(status.before->trained)}};
  out["needs"] = settings.history.enabled ? needs_json(status.survey) : Json(nullptr);
  out["promotion"] = promotion_json(status);
  out["run"] = run_json(status);
  return out;
}

}  // namespace shingled::milter::learning
