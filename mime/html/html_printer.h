#pragma once

#include <string_view>
#include <vector>

#include "mime/html/html_to_text.h"
#include "mime/html/html_tree.h"
#include "mime/html/visibility.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

/// Prints the visible text of `tree`, whose document is `html`, into `text.content` and its links
/// into `text.links` (HASHING.md 7.3, 7.5).
/// Threads: stateless.
/// Cost: linear in the document and in the text, which may be much longer: what stands before a
/// broken `<?` is printed again behind it, as rspamd does.
void print_html(const HtmlTree& tree, const std::vector<Appearance>& appearance,
                std::string_view html, HtmlText& text, std::size_t text_bytes_max,
                WorkMeter& meter);

}  // namespace shingled::mime
