#pragma once

#include <string>
#include <string_view>

namespace shingled::milter::cli {

/// Quotes a text as one word that can be pasted into a POSIX shell: unchanged if that is safe, else
/// in single quotes.
std::string shell_word(std::string_view text);

}  // namespace shingled::milter::cli
