#pragma once

#include <string_view>

#include "milter/policy/condition.h"
#include "milter/policy/condition_tokens.h"

namespace shingled::milter::policy {

// Comparisons of names: `from = a@shop.example`, `client in /etc/shingled/partners.list`.
// Threads: stateless.

/// Whether the name of `atom`, the last token, is compared with other names: it is one that can be,
/// or a slip of the pen for one. `text`: the whole condition.
bool names_come(const TokenCursor& at, const Atom& atom, std::string_view text);

/// Reads the comparison after the name. False after a problem.
bool read_names(TokenCursor& at, Atom& atom);

}  // namespace shingled::milter::policy
