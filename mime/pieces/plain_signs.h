#pragma once

#include <string>
#include <string_view>

namespace shingled::mime {

/// A text in which numbers look as everybody types them: spammers and word processors put invisible
/// characters between digits, wide digits, and other dashes, blanks and dots.
///
/// - invisible characters (zero width, soft hyphen, direction and variation marks, keycaps):
/// removed
/// - wide forms of ASCII, styled and Arabic digits, digits in circles: the ASCII ones
/// - dashes of all lengths: `-`; blanks of all widths: a space; dots and slashes likewise
///
/// Output:  `text` itself where nothing changes, which is the usual case, else a view of `storage`.
/// Errors:  none; bytes that are not UTF-8 stay.
/// Threads: stateless.
/// Cost:    one pass; a copy if something changes.
std::string_view with_plain_signs(std::string_view text, std::string& storage);

}  // namespace shingled::mime
