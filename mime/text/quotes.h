#pragma once

#include <string_view>

namespace shingled::mime {

/// Whether a line, folded (fold_letters()) and without spaces at its ends, is followed by somebody
/// else's message to the end of the text: "-----Original Message-----", "Begin forwarded message:",
/// "--- Below this line is a copy of the message." in the languages and programs we know.
/// Threads: any; a table is made at the first use.
bool begins_other_message(std::string_view folded);

/// Whether such a line says who wrote what is quoted below it: "On Monday at 9:30 A wrote:".
bool is_attribution(std::string_view folded);

}  // namespace shingled::mime
