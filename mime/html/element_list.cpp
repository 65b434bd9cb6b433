#include "mime/html/element_list.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "mime/ascii.h"

namespace shingled::mime {
namespace {

constexpr std::size_t kClassBytesMax = 64;        ///< longer ones are made for one mail
constexpr std::size_t kUsableClassBytesMax = 32;  ///< kept of the cleaned word
/// Words of classes that follow readers around.
constexpr std::string_view kTracking[] = {"utm",      "track",  "analytics", "pixel", "beacon",
                                          "campaign", "source", "medium",    "guid",  "uuid"};

/// The URL rspamd keeps with an element: of images and frames it keeps none.
const std::string* url_of(const HtmlTree& tree, const Element& element) {
  if (element.is("a") || element.is("link")) return tree.attribute(element, AttributeName::kHref);
  return element.is("form") ? tree.attribute(element, AttributeName::kAction) : nullptr;
}

/// The element that opens the head directly below the root, be it `head` or a first `meta`: rspamd
/// 4.1.6 leaves it out, though not the head of a document that begins with a doctype.
bool opens_head(const Element& element, std::uint32_t depth, std::size_t listed) {
  return depth == 1 && listed <= 1 &&
         (element.is("head") || (element.info != nullptr && element.info->head));
}

}  // namespace

std::string usable_class(std::string_view css_class) {
  if (css_class.size() > kClassBytesMax) return {};
  const std::string lower = ascii::to_lower(css_class);
  for (const std::string_view word : kTracking) {
    if (lower.find(word) != std::string::npos) return {};
  }
  std::string_view word = ascii::trim_space(lower);
  word =
      word.substr(0, static_cast<std::size_t>(
                         std::find_if(word.begin(), word.end(), ascii::is_space) - word.begin()));
  const auto digits = std::count_if(word.begin(), word.end(), ascii::is_digit);
  if (static_cast<std::size_t>(digits) * 2 > word.size()) return {};
  std::string clean;
  for (const char c : word) {
    const bool kept = ascii::is_alpha(c) || ascii::is_digit(c) || c == '-' || c == '_';
    if (kept && clean.size() < kUsableClassBytesMax) clean += c;
  }
  return clean;
}

std::vector<HtmlElement> list_elements(const HtmlTree& tree) {
  std::vector<HtmlElement> list;
  std::vector<std::uint32_t> depths(tree.elements.size());
  bool head_opened = false;
  for (std::size_t i = 0; i < tree.elements.size(); ++i) {
    const Element& element = tree.elements[i];
    if (element.parent != kNoElement) depths[i] = depths[element.parent] + 1;
    if (element.role != ElementRole::kElement || element.implicit) continue;
    if (!head_opened && opens_head(element, depths[i], list.size())) {
      head_opened = true;
      continue;
    }
    HtmlElement& item = list.emplace_back();
    item.name = element.info == nullptr ? "unknown" : element.info->name;
    if (const auto* css_class = tree.attribute(element, AttributeName::kClass)) {
      item.css_class = usable_class(*css_class);
    }
    if (const std::string* url = url_of(tree, element)) item.url = *url;
    item.depth = depths[i];
    item.is_link = element.is("a") && tree.attribute(element, AttributeName::kHref) != nullptr;
  }
  return list;
}

}  // namespace shingled::mime
