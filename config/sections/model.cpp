#include <algorithm>
#include <array>

#include "config/keys/forms.h"
#include "config/sections/sections.h"

namespace shingled::config {

namespace {

constexpr std::array<Choice<ModelTrain>, 2> kTrains = {
    {{"daily", ModelTrain::kDaily}, {"off", ModelTrain::kOff}}};
constexpr std::size_t kFeaturesMax = 1000;

void load_features(Section& section, std::string_view key, std::vector<std::string>& out) {
  constexpr std::string_view kAllowed = "names of features such as mailer, or [] for none";
  const auto field = section.field(key);
  if (!field) return;
  out.clear();
  for (const auto& [item, word] : field->words(kAllowed)) {
    const bool valid = std::ranges::all_of(word, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    });
    if (out.size() == kFeaturesMax) {
      item.problem("exceeds the limit", "at most " + std::to_string(kFeaturesMax));
      return;
    }
    if (valid && !word.empty()) {
      out.push_back(word);
    } else {
      item.refuse("not the name of a feature", kAllowed);
    }
  }
}

}  // namespace

Key<Settings> model_section() {
  const auto start = at_start(&Settings::model);
  const auto live = at_reload(&Settings::model);
  return map<Settings>(
      "model",
      {
          key("file", start(&ModelOptions::file), Path{},
              "the model in force, written by `shingled model`; need not exist; \"\" = no model"),
          key("train", live(&ModelOptions::train), OneOf(kTrains),
              "daily = a timer trains a new one once a day, as soon as the history has enough "
              "messages; off = only `shingled model train`"),
          key("features_off", live(&ModelOptions::features_off),
              Typed<std::vector<std::string>>{"list of features", load_features, flow_list},
              "features that training does not use, with those below them: they tell where mail "
              "comes from more than what it is; [] = all are used"),
      });
}

}  // namespace shingled::config
