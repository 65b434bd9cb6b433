#include "milter/view/model_json.h"

#include <nlohmann/json.hpp>

namespace shingled::milter::view {

Json model_json(const rules::ModelWord* word) {
  if (word == nullptr) return nullptr;
  Json contributions = Json::array();
  for (const auto& item : word->contributions)
    contributions.push_back({{"feature", item.feature},
                             {"value", item.value ? Json(*item.value) : Json(nullptr)},
                             {"score", item.score}});
  return {{"score", word->score},
          {"shadow", word->shadow},
          {"id", word->id},
          {"contributions", std::move(contributions)}};
}

}  // namespace shingled::milter::view
