#pragma once

#include <string>
#include <string_view>

namespace shingled::milter::terminal {

/// `text` made safe for a terminal, so that a name from a mail or of a file cannot control it:
/// `\xNN` for control bytes (C0, DEL) and for each byte that is not UTF-8; `\uNNNN` for the C1
/// controls (U+009B begins a sequence as ESC does), for marks and overrides of direction, which
/// change the visible order, and for separators of lines and paragraphs.
std::string terminal_safe(std::string_view text);

/// The same for JSON in UTF-8, where C0 controls are already escaped: the others become `\uNNNN`,
/// which means the same to a program.
std::string terminal_safe_json(std::string_view json);

/// Quotes a text as one word that can be pasted into a POSIX shell: unchanged if that is safe, else
/// in single quotes.
std::string shell_word(std::string_view text);

}  // namespace shingled::milter::terminal
