#include "mime/text/html_structure.h"

#include <algorithm>
#include <string>

#include "mime/text/public_suffix.h"
#include "mime/text/web_url.h"

namespace shingled::mime {

namespace {

constexpr std::ptrdiff_t kLinksMin = 2;
constexpr std::uint32_t kDepthMin = 3;

bool has_structure(std::span<const HtmlElement> elements, std::uint32_t tags_min) {
  if (elements.size() < tags_min) return false;
  const auto links = std::count_if(elements.begin(), elements.end(),
                                   [](const HtmlElement& element) { return element.is_link; });
  return links >= kLinksMin &&
         std::any_of(elements.begin(), elements.end(),
                     [](const HtmlElement& element) { return element.depth >= kDepthMin; });
}

/// The registrable domain a link leads to; empty for relative and unusable ones.
std::string link_domain(std::string_view url) {
  const auto web = read_web_url(url, UrlStart::kScheme);
  return web ? registrable_domain(web->host) : std::string();
}

}  // namespace

std::optional<WordList> structure_tokens(std::span<const HtmlElement> elements,
                                         std::uint32_t tags_min, LinkDomains domains) {
  if (!has_structure(elements, tags_min)) return std::nullopt;
  WordList tokens;
  std::string token;
  for (const HtmlElement& element : elements) {
    token = element.name;
    if (!element.css_class.empty()) token += "." + element.css_class;
    if (domains == LinkDomains::kKept && !element.url.empty()) {
      if (const std::string domain = link_domain(element.url); !domain.empty()) {
        token += "@" + domain;
      }
    }
    tokens.add(token);
  }
  return tokens;
}

}  // namespace shingled::mime
