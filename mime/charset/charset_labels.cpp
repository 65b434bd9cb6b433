#include "mime/charset/charset_labels.h"

#include <algorithm>
#include <iterator>

namespace shingled::mime {
namespace {

struct LabelledConverter {
  std::string_view label, converter;
};

/// In the order of labels.
constexpr LabelledConverter kLabels[] = {
#include "mime/charset/charset_labels.inc"
};

constexpr bool is_before(const LabelledConverter& a, const LabelledConverter& b) {
  return a.label < b.label;
}
static_assert(std::is_sorted(std::begin(kLabels), std::end(kLabels), is_before));

}  // namespace

std::string_view converter_of_label(std::string_view label) {
  const auto* const found = std::lower_bound(std::begin(kLabels), std::end(kLabels),
                                             LabelledConverter{label, {}}, is_before);
  return found != std::end(kLabels) && found->label == label ? found->converter
                                                             : std::string_view();
}

}  // namespace shingled::mime
