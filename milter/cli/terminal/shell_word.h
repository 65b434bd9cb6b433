#pragma once

#include <string>
#include <string_view>

namespace shingled::milter::cli {

/// A text as one word of a command line that a person may paste into a POSIX shell: as it is where
/// that is safe, else in single quotes.
std::string shell_word(std::string_view text);

}  // namespace shingled::milter::cli
