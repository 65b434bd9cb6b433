#pragma once

#include <string>
#include <string_view>

#include "config/base/result.h"
#include "config/promotions/judgements.h"

namespace shingled::config {

/// Judgements as the text of their file: a line for the whole, a line for each rule, and one that
/// says that this is all. Names of rules and windows have letters, digits and '_' only.
/// Threads: stateless.
std::string text_of(const Judgements& judgements);

/// Reads such a text.
/// Errors:  kCorrupt: not such a text, or not all of it; kInvalid: of a newer version. The message
///          names the line.
/// Threads: stateless.
Result<Judgements> judgements_of(std::string_view text);

}  // namespace shingled::config
