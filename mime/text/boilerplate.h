#pragma once

#include <string_view>

namespace shingled::mime {

/// Whether a word is typical of notices: how to unsubscribe, how to view a mail in a browser, who
/// may read it, who has the rights. `folded`: see fold_letters().
/// Threads: any; a table is made at the first call.
bool is_boilerplate(std::string_view folded);

/// Whether a line that begins with this word is a greeting.
bool is_greeting(std::string_view folded);

/// Whether a word of four letters or more is common in the mail of companies: about accounts,
/// orders, bills, parcels, appointments, failed deliveries, or in any letter. Many senders write
/// texts that consist mostly of such words. `folded`: see fold_letters(). In common_words.cpp.
/// Threads: any; a table is made at the first call.
bool is_common(std::string_view folded);

/// Whether the rest of the text after this line is another message: "-----Original Message-----",
/// "Begin forwarded message:", "--- Below this line is a copy of the message." in the languages and
/// programs we know. The line is folded (fold_letters()) and trimmed.
/// Threads: any; a table is made at the first call.
bool begins_other_message(std::string_view folded);

/// Whether such a line names the author of a quotation: "On Monday at 9:30 A wrote:".
bool is_attribution(std::string_view folded);

}  // namespace shingled::mime
