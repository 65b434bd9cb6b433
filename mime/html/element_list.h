#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mime/html/html_to_text.h"
#include "mime/html/html_tree.h"

namespace shingled::mime {

/// The part of a class attribute that names a layout and not a campaign or a reader: its cleaned
/// first word, or empty (HASHING.md section 13).
std::string usable_class(std::string_view css_class);

/// The elements of `tree` that list_elements() lists, in its order.
std::vector<ElementIndex> listed_elements(const HtmlTree& tree);

/// The elements of `tree` as the structure hash counts them, in document order.
/// Threads: stateless.
/// Cost: linear in the tree and its attributes.
std::vector<HtmlElement> list_elements(const HtmlTree& tree);

}  // namespace shingled::mime
