// Files of models, of our own format and those that are imported. What is taken can be evaluated,
// its shares sum to its score, and it is the same when it is written and read again.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "milter/model/evaluator.h"
#include "milter/model/import_model.h"
#include "milter/model/model_file.h"

using namespace shingled;
using namespace shingled::milter::model;

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

void use(Model model) {
  const Evaluator trees(model, Scale::of(model, 4));
  const Vector vector(columns().size(), 1.0F);
  const Explained found = trees.explain(vector);
  check(std::isfinite(found.score) && found.score == trees.score(vector));
  const std::string text = text_of(model);
  const auto again = model_of(text);
  check(again && again->trees == model.trees && again->id == model.id);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (auto model = model_of(text)) use(*std::move(model));
  if (auto model = import_model(text)) use(*std::move(model));
  return 0;
}
