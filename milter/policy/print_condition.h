#pragma once

#include <string>

#include "milter/policy/condition.h"

namespace shingled::milter::policy {

/// The canonical text of a condition: one blank between words, no needless brackets, the window of
/// each counter. parse_condition reads it as the same condition.
/// Threads: stateless.
std::string to_string(const Condition& condition);
std::string to_string(const Atom& atom);

/// What an atom compares with: "1000", "99% of 100", "10x usual", "fail". With the operator before
/// it unless that is `>=` or, of a word, `=`.
std::string threshold_text(const Atom& atom);

}  // namespace shingled::milter::policy
