#pragma once

#include <string>
#include <string_view>

namespace shingled::milter::cli {

/// `text` as a terminal may show it, so that a name in a mail or of a file cannot write on it:
/// `\xNN` for control bytes (C0, DEL) and for each byte that is no UTF-8, `\uNNNN` for the controls
/// behind ASCII (C1: U+009B begins a sequence as ESC does), for marks and overrides of direction,
/// which show a name in another order than it has, and for separators of lines and paragraphs.
std::string terminal_safe(std::string_view text);

/// The same of JSON in UTF-8, which has its C0 controls escaped: the others as `\uNNNN`, which says
/// the same to a program.
std::string terminal_safe_json(std::string_view json);

}  // namespace shingled::milter::cli
