#pragma once

#include <string_view>
#include <vector>

#include "mime/html/html_to_text.h"
#include "mime/html/html_tree.h"
#include "mime/html/visibility.h"

namespace shingled::mime {

/// Prints the visible text of `tree`, whose document is `html`, into `text.content` and its links
/// into `text.links` (hashing.md 7.3, 7.5).
/// Threads: stateless.   Cost: linear in the document.
void print_html(const HtmlTree& tree, const std::vector<Appearance>& appearance,
                std::string_view html, HtmlText& text, std::size_t text_bytes_max);

}  // namespace shingled::mime
