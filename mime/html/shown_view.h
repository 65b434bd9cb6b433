#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "mime/html/html_tree.h"
#include "mime/html/visibility.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

/// How the text of each element of `tree`, whose document is `html`, looks in a browser, if that is
/// not `looks`, which is what rspamd thinks of it (robust_words.h, text_collector.h). Only the
/// visibility differs:
///
/// - white text on a picture, on a gradient or on a coloured cell can be read
/// - selectors of any length, `@media`, `!important` and `visibility` hide
/// - what is in a hidden element is hidden, too
///
/// Bounds:  `rules_max` selectors; comparisons as many as a sheet of the size of the document needs.
/// Threads: stateless.
/// Cost:    linear in the document, paid to `meter`.
std::optional<std::vector<Appearance>> browser_appearance(const HtmlTree& tree,
                                                          std::string_view html,
                                                          const std::vector<Appearance>& looks,
                                                          std::size_t rules_max, WorkMeter& meter);

}  // namespace shingled::mime
