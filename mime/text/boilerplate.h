#pragma once

#include <string_view>

namespace shingled::mime {

/// Words that notices are made of which stand in any mail: how to unsubscribe, how to see it in a
/// browser, who may read it, who holds the rights. `folded` as fold_letters() has it.
/// Threads: any; a table is made at the first use.
bool is_boilerplate(std::string_view folded);

/// Whether a line that begins with this word greets somebody.
bool is_greeting(std::string_view folded);

}  // namespace shingled::mime
