#include "mime/text/html_structure.h"

#include <cstddef>
#include <string>
#include <vector>

#include "mime/text/link_target.h"

namespace shingled::mime {

namespace {

constexpr std::size_t kLinksMin = 2;
constexpr std::uint32_t kDepthMin = 3;

/// The targets of `elements`, nothing where one has none. The first <base> that leads somewhere
/// counts for all that follow.
std::vector<std::optional<LinkTarget>> read_targets(std::span<const HtmlElement> elements) {
  std::vector<std::optional<LinkTarget>> targets(elements.size());
  const LinkTarget* base = nullptr;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i].url.empty()) continue;
    targets[i] = read_link(elements[i].url, base);
    if (base == nullptr && targets[i] && elements[i].name == "base") base = &*targets[i];
  }
  return targets;
}

bool has_structure(std::span<const HtmlElement> elements,
                   std::span<const std::optional<LinkTarget>> targets, std::uint32_t tags_min) {
  if (elements.size() < tags_min) return false;
  std::size_t links = 0;
  bool deep = false;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (targets[i] && elements[i].name != "link") ++links;
    deep = deep || elements[i].depth >= kDepthMin;
  }
  return links >= kLinksMin && deep;
}

}  // namespace

std::optional<WordList> structure_tokens(std::span<const HtmlElement> elements,
                                         std::uint32_t tags_min, LinkDomains domains) {
  const auto targets = read_targets(elements);
  if (!has_structure(elements, targets, tags_min)) return std::nullopt;
  WordList tokens;
  std::string token;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    token = elements[i].name;
    if (!elements[i].css_class.empty()) token += "." + elements[i].css_class;
    if (domains == LinkDomains::kKept && targets[i]) token += "@" + targets[i]->domain;
    tokens.add(token);
  }
  return tokens;
}

}  // namespace shingled::mime
