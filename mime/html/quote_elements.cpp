#include "mime/html/quote_elements.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "config/base/ascii.h"

namespace shingled::mime {
namespace {

constexpr std::size_t kQuoteNameBytesMax = 256;  // of a class or id attribute
constexpr std::size_t kQuoteStyleBytesMax = 512;

using RoleOfName = std::pair<std::string_view, QuoteRole>;

constexpr auto kClasses = std::to_array<RoleOfName>({
    {"gmail_quote", QuoteRole::kQuote},
    {"gmail_quote_container", QuoteRole::kQuote},
    {"gmail_attr", QuoteRole::kSource},
    {"moz-cite-prefix", QuoteRole::kSource},
    {"moz-forward-container", QuoteRole::kQuote},
    {"moz-email-headers-table", QuoteRole::kSource},
    {"yahoo_quoted", QuoteRole::kQuote},
    {"protonmail_quote", QuoteRole::kQuote},
    {"tutanota_quote", QuoteRole::kQuote},
    {"zmail_extra", QuoteRole::kQuote},
    {"ms-outlook-mobile-reference-message", QuoteRole::kQuote},
    {"outlookmessageheader", QuoteRole::kRest},
    {"mail-quote-collapse", QuoteRole::kQuote},
});

constexpr auto kIds = std::to_array<RoleOfName>({
    {"divrplyfwdmsg", QuoteRole::kRest},
    {"appendonsend", QuoteRole::kRest},
    {"stopspelling", QuoteRole::kRest},
    {"mail-editor-reference-message-container", QuoteRole::kQuote},
    {"olk_src_body_section", QuoteRole::kQuote},
    {"reply-intro", QuoteRole::kSource},
    {"isreplycontent", QuoteRole::kQuote},
    {"isforwardcontent", QuoteRole::kQuote},
});

QuoteRole role_of(std::span<const RoleOfName> names, std::string_view name) {
  // Outlook on the web renames what it quotes, once a reply.
  while (name.starts_with("x_")) name.remove_prefix(2);
  if (name.starts_with("yahoo_quoted")) return QuoteRole::kQuote;
  const auto found = std::ranges::find(names, name, &RoleOfName::first);
  return found == names.end() ? QuoteRole::kNone : found->second;
}

/// The first word of `words` that has a role.
QuoteRole role_of_words(std::span<const RoleOfName> names, std::string_view words) {
  while (!words.empty()) {
    const auto* const end = std::find_if(words.begin(), words.end(), ascii::is_space);
    const auto size = static_cast<std::size_t>(end - words.begin());
    if (const QuoteRole role = role_of(names, words.substr(0, size)); role != QuoteRole::kNone)
      return role;
    words.remove_prefix(std::min(size + 1, words.size()));
  }
  return QuoteRole::kNone;
}

class RoleReader {
 public:
  RoleReader(const HtmlTree& tree, std::string_view html) : tree_(tree), html_(html) {}

  [[nodiscard]] QuoteRole role(const Element& element) const {
    if (element.role != ElementRole::kElement) return QuoteRole::kNone;
    const QuoteRole by_class = role_of_words(kClasses, value(element, AttributeName::kClass));
    if (by_class != QuoteRole::kNone) return by_class;
    const QuoteRole by_id = role_of_words(kIds, value(element, AttributeName::kId));
    if (by_id != QuoteRole::kNone) return by_id;
    return element.is("blockquote") && quotes(element) ? QuoteRole::kQuote : QuoteRole::kNone;
  }

 private:
  [[nodiscard]] std::string value(const Element& element, AttributeName name) const {
    const Attribute* attribute = tree_.attribute(element, name);
    return attribute == nullptr ? std::string()
                                : ascii::to_lower(attribute->value(kQuoteNameBytesMax));
  }

  /// Whether a blockquote quotes and does not only indent.
  [[nodiscard]] bool quotes(const Element& element) const {
    const Attribute* style = tree_.attribute(element, AttributeName::kStyle);
    if (style == nullptr) return true;
    std::string text = ascii::to_lower(style->value(kQuoteStyleBytesMax));
    std::erase_if(text, ascii::is_space);
    if (text.find("border:none") == std::string::npos) return true;
    const auto type = written_attribute(html_, element, "type");
    return type && ascii::equal_ignoring_case(ascii::trim_space(*type), "cite");
  }

  const HtmlTree& tree_;
  std::string_view html_;
};

}  // namespace

std::vector<QuoteRole> quote_roles(const HtmlTree& tree, std::string_view html) {
  const RoleReader reader(tree, html);
  std::vector<QuoteRole> roles(tree.elements.size());
  std::ranges::transform(tree.elements, roles.begin(),
                         [&](const Element& element) { return reader.role(element); });
  return roles;
}

}  // namespace shingled::mime
