#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "mime/fingerprint/fingerprint.h"
#include "mime/html/html_to_text.h"

namespace shingled::mime {

/// Whether the token of an element with a URL ends in its registrable domain.
enum class LinkDomains : std::uint8_t { kKept, kIgnored };

/// The tokens of the structure of an HTML part, one an element: `a.button@example.com`
/// (HASHING.md section 13). Pages with the same layout share them, whatever their text.
///
/// Errors:  nullopt if the page has too little structure: fewer than `tags_min` elements, two links
///          or three levels.
/// Threads: stateless.
/// Cost: O(elements).
std::optional<WordList> structure_tokens(std::span<const HtmlElement> elements,
                                         std::uint32_t tags_min, LinkDomains choice);

}  // namespace shingled::mime
