#pragma once

#include "milter/rules/model_word.h"
#include "milter/view/json.h"

namespace shingled::milter::view {

/// {"score", "shadow", "id", "contributions": [{"feature", "value", "score"}]}; null for no word.
Json model_json(const rules::ModelWord* word);

}  // namespace shingled::milter::view
