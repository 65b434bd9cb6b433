#pragma once

#include <string_view>

namespace shingled::mime {

/// Words that notices are made of which stand in any mail: how to unsubscribe, how to see it in a
/// browser, who may read it, who holds the rights. `folded` as fold_letters() has it.
/// Threads: any; a table is made at the first use.
bool is_boilerplate(std::string_view folded);

/// Whether a line that begins with this word greets somebody.
bool is_greeting(std::string_view folded);

/// Words of four letters and more that the mail of any house is written in: about accounts,
/// orders, bills, parcels, appointments, failed deliveries, and those that any letter has. A text
/// of little else is common property, whoever sent it. `folded` as fold_letters() has it.
/// Threads: any; a table is made at the first use.
bool is_common(std::string_view folded);

/// Whether a line, folded (fold_letters()) and without spaces at its ends, is followed by somebody
/// else's message to the end of the text: "-----Original Message-----", "Begin forwarded message:",
/// "--- Below this line is a copy of the message." in the languages and programs we know.
/// Threads: any; a table is made at the first use.
bool begins_other_message(std::string_view folded);

/// Whether such a line says who wrote what is quoted below it: "On Monday at 9:30 A wrote:".
bool is_attribution(std::string_view folded);

}  // namespace shingled::mime
