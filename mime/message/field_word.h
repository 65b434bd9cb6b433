#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace shingled::mime {

/// The one word of a structured field such as `Auto-Submitted: auto-replied (vacation)`, in lower
/// case: without blanks, folds and comments around it, comments in comments included, and without
/// quotes. Parameters after a ";" do not matter.
///
/// Input:   the raw value of a field, folded or not; what is beyond kFieldWordBytesMax is not read.
/// Output:  empty if there is none, if a second word follows, or if a comment or quote is not
///          closed: then nobody can say what the field means.
/// Errors:  none.
/// Threads: stateless.
/// Cost:    linear.
/// Source:  RFC 5322 3.2.2 (CFWS), RFC 3834 5, RFC 5965 3.1.
std::string field_word(std::string_view value);

inline constexpr std::size_t kFieldWordBytesMax = 8UL * 1024;

/// Moves `at` after white space, folds and comments in `value` (RFC 5322 3.2.2, CFWS). False if a
/// comment has no end; `at` is the end of `value` then.
bool skip_blanks_and_comments(std::string_view value, std::size_t& at);

}  // namespace shingled::mime
