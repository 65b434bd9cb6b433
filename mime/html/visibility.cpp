#include "mime/html/visibility.h"

namespace shingled::mime {

std::vector<Appearance> compute_appearance(const HtmlTree& tree) {
  std::vector<Appearance> appearance(tree.elements.size());
  for (std::size_t i = 0; i < tree.elements.size(); ++i) {
    const Element& element = tree.elements[i];
    if (element.info != nullptr) appearance[i].kind = element.info->kind;
  }
  return appearance;
}

}  // namespace shingled::mime
