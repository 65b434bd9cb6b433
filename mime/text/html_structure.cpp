#include "mime/text/html_structure.h"

#include <cstddef>
#include <string>
#include <vector>

#include "mime/url/link_domain.h"

namespace shingled::mime {

namespace {

constexpr std::size_t kLinksMin = 2;
constexpr std::uint32_t kDepthMin = 3;

/// The domain of each element, nullopt without a usable link. The first usable <base> counts for
/// all later elements.
std::vector<std::optional<std::string>> read_domains(std::span<const HtmlElement> elements) {
  std::vector<std::optional<std::string>> domains(elements.size());
  const std::string* base = nullptr;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i].url.empty()) continue;
    domains[i] = link_domain(elements[i].url, base);
    if (base == nullptr && domains[i] && elements[i].name == "base") base = &*domains[i];
  }
  return domains;
}

bool has_structure(std::span<const HtmlElement> elements,
                   std::span<const std::optional<std::string>> link_domains,
                   std::uint32_t tags_min) {
  if (elements.size() < tags_min) return false;
  std::size_t links = 0;
  bool deep = false;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (link_domains[i] && elements[i].name != "base") ++links;
    deep = deep || elements[i].depth >= kDepthMin;
  }
  return links >= kLinksMin && deep;
}

}  // namespace

std::optional<WordList> structure_tokens(std::span<const HtmlElement> elements,
                                         std::uint32_t tags_min, LinkDomains choice) {
  const auto link_domains = read_domains(elements);
  if (!has_structure(elements, link_domains, tags_min)) return std::nullopt;
  WordList tokens;
  std::string token;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    token = elements[i].name;
    if (!elements[i].css_class.empty()) token += "." + elements[i].css_class;
    if (choice == LinkDomains::kKept && link_domains[i]) token += "@" + *link_domains[i];
    tokens.add(token);
  }
  return tokens;
}

}  // namespace shingled::mime
