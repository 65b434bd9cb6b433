#include "mime/html/element_list.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "config/base/ascii.h"

namespace shingled::mime {
namespace {

constexpr std::size_t kClassBytesMax = 64;  ///< longer classes are made for a single mail
/// More than kClassBytesMax characters can take, even if each is written as a reference.
constexpr std::size_t kClassRawBytesMax = 2048;
/// Enough for the host of a URL.
constexpr std::size_t kUrlBytesMax = 2048;
constexpr std::size_t kUsableClassBytesMax = 32;  ///< kept of the cleaned word
/// Words in classes that are used for tracking.
constexpr std::string_view kTracking[] = {"utm",      "track",  "analytics", "pixel", "beacon",
                                          "campaign", "source", "medium",    "guid",  "uuid"};

/// The address that an element leads to, or nullptr. Images and frames do not count; in the head
/// only the base does.
const Attribute* url_of(const HtmlTree& tree, const Element& element) {
  if (element.is("base")) return tree.attribute(element, AttributeName::kHref);
  if (element.in_head) return nullptr;
  if (element.is("form")) return tree.attribute(element, AttributeName::kAction);
  const bool leads = element.is("a") || element.is("area") || element.is("link");
  return leads ? tree.attribute(element, AttributeName::kHref) : nullptr;
}

}  // namespace

std::string usable_class(std::string_view css_class) {
  if (css_class.size() > kClassBytesMax) return {};
  const std::string lower = ascii::to_lower(css_class);
  for (const std::string_view word : kTracking) {
    if (lower.find(word) != std::string::npos) return {};
  }
  std::string_view word = lower;
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

std::vector<ElementIndex> listed_elements(const HtmlTree& tree) {
  std::vector<ElementIndex> list;
  for (ElementIndex i = 0; i < tree.elements.size(); ++i) {
    const Element& element = tree.elements[i];
    const bool left_out = element.implicit && !tree.starts_as_text;
    if (element.role != ElementRole::kElement || left_out || element.opens_head) continue;
    list.push_back(i);
  }
  return list;
}

std::vector<HtmlElement> list_elements(const HtmlTree& tree) {
  std::vector<HtmlElement> list;
  std::vector<std::uint32_t> depths(tree.elements.size());
  for (std::size_t i = 0; i < tree.elements.size(); ++i) {
    const Element& element = tree.elements[i];
    if (element.parent != kNoElement) depths[i] = depths[element.parent] + 1;
  }
  for (const ElementIndex i : listed_elements(tree)) {
    const Element& element = tree.elements[i];
    HtmlElement& item = list.emplace_back();
    item.name = element.info == nullptr ? "unknown" : element.info->name;
    if (const auto* css_class = tree.attribute(element, AttributeName::kClass)) {
      item.css_class = usable_class(css_class->value(kClassRawBytesMax));
    }
    if (const auto* url = url_of(tree, element)) {
      item.url = url->value(kUrlBytesMax);
      if (url->raw.find('&') != std::string_view::npos)
        item.target = url->browser_value(kUrlBytesMax);
    }
    if (element.is("img")) {
      if (const auto* source = tree.attribute(element, AttributeName::kSrc))
        item.picture = source->browser_value(kUrlBytesMax);
    }
    item.depth = depths[i];
  }
  return list;
}

}  // namespace shingled::mime
