#pragma once

#include <string>
#include <string_view>

namespace shingled::milter::policy {

// What people write who know other languages, and what they probably meant.
// Threads: stateless.

/// "and" "or" "not" "in" "of": no names.
bool is_keyword(std::string_view word);

/// What stands here for an operator or word of another language, or for a keyword in capitals: ">="
/// of "=>", "and" of "&&". Empty for other texts.
std::string meant_by(std::string_view word);

/// The window that is nearest to a text which is not one: "14d" of "30d". Empty if the text is no
/// time at all.
std::string nearest_window(std::string_view text);

/// The number that a text probably is: "1000" of "1,000", "10M" of "10MB". Else empty.
std::string nearest_number(std::string_view text);

/// Why a text that begins like a number is not a valid one.
std::string number_problem(std::string_view text);

}  // namespace shingled::milter::policy
