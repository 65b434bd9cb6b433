#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace shingled::mime {

/// The rest of a longer subject is not read.
inline constexpr std::size_t kSubjectBytesMax = 1024;

/// The subject that a thread, and a wave of spam, has in common: folded by fold_letters() (lower
/// case, digits as 0, look-alikes as the Latin letter), each run of blanks one space, without
/// "Re:", "Fwd:" and their like in the common languages and without the tags of lists, "[list]", in
/// front.
///
/// Input:   decoded, UTF-8.
/// Output:  empty only if nothing else is there; a lone "Re:" stays. The form of a form is itself.
/// Threads: any; a table is made at the first call.
/// Cost:    linear.
std::string normal_subject(std::string_view subject);

/// Whether a subject begins with "Re:", "Fwd:" or their like, after the tags of lists.
bool has_answer_mark(std::string_view subject);

/// A display name as a reader sees it: folded by fold_letters(), each run of blanks one space.
std::string normal_display_name(std::string_view name);

}  // namespace shingled::mime
