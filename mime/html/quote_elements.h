#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "mime/html/html_tree.h"

namespace shingled::mime {

/// What an element says of other people's text.
enum class QuoteRole : std::uint8_t {
  kNone,
  kQuote,   ///< it holds what is quoted: blockquote, and what mail programs use in its place
  kSource,  ///< it says whose words follow: "On Monday at 9:30 A wrote:"
  kRest     ///< like kSource, and all that follows it is quoted
};

/// The role of each element of `tree`, whose document is `html`, by index: of those that Gmail,
/// Outlook, Apple Mail, Thunderbird, Yahoo, Proton, Roundcube and others write around or above what
/// they quote. Quotes that only their text shows are found by find_quotes().
///
/// A blockquote with "border:none" is a quote only if it says "type=cite": some programs indent so.
/// Threads: stateless.
/// Cost:    linear in the tree and its attributes.
std::vector<QuoteRole> quote_roles(const HtmlTree& tree, std::string_view html);

}  // namespace shingled::mime
