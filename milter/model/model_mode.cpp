#include "milter/model/model_mode.h"

#include <array>

#include "config/system/whole_file.h"
#include "milter/model/json_reader.h"
#include "milter/model/model_file.h"

namespace shingled::milter::model {

namespace {

constexpr std::array<std::string_view, 3> kBys = {"settings", "person", "figures"};
constexpr std::array<std::string_view, 4> kStages = {"shadow", "proposed", "live", "returned"};
constexpr std::size_t kDecisionBytesMax = 4096;

template <typename Enum, std::size_t count>
Enum named(const std::array<std::string_view, count>& words, std::string_view word) {
  for (std::size_t i = 0; i < count; ++i)
    if (words[i] == word) return static_cast<Enum>(i);
  return Enum{};
}

}  // namespace

std::string_view to_string(ModelDecision::By by) { return kBys[static_cast<std::size_t>(by)]; }
std::string_view to_string(ModelDecision::Stage stage) {
  return kStages[static_cast<std::size_t>(stage)];
}

std::string decision_file(const ModelOptions& options) { return options.file + ".mode"; }

ModelDecision read_decision(const ModelOptions& options) {
  const auto file = read_whole_file(decision_file(options), kDecisionBytesMax);
  if (!file) return {};
  const auto json = read_json(file->text);
  if (!json) return {};
  ModelDecision out;
  out.by = named<ModelDecision::By>(kBys, text_of(member(*json, "by")));
  out.stage = named<ModelDecision::Stage>(kStages, text_of(member(*json, "stage")));
  const double since = number_of(member(*json, "since"), 0);
  if (since > 0 && since < 1e12) out.since = static_cast<std::int64_t>(since);
  return out;
}

Status write_decision(const ModelOptions& options, const ModelDecision& decision) {
  const nlohmann::json json = {{"by", to_string(decision.by)},
                               {"stage", to_string(decision.stage)},
                               {"since", decision.since}};
  return replace_file(decision_file(options), json.dump() + "\n");
}

bool is_live(const PolicyOptions& policy, const ModelDecision& decision) {
  const bool live = decision.stage == ModelDecision::Stage::kLive;
  if (decision.by == ModelDecision::By::kPerson) return live;
  if (policy.model.mode == ModelMode::kScore) return true;
  return live && policy.promote == PolicyPromote::kAuto;
}

Result<std::shared_ptr<const ModelInForce>> open_model(const ModelOptions& options,
                                                       const PolicyOptions& policy) {
  if (options.file.empty() || policy.model.mode == ModelMode::kOff)
    return std::shared_ptr<const ModelInForce>();
  auto model = read_model(options.file);
  if (!model && model.error().code == ErrorCode::kNotFound)
    return std::shared_ptr<const ModelInForce>();
  if (!model) return model.error();
  return std::make_shared<const ModelInForce>(*std::move(model), policy.model,
                                              is_live(policy, read_decision(options)));
}

}  // namespace shingled::milter::model
