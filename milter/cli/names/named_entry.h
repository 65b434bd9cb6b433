#pragma once

#include "config/base/result.h"
#include "milter/cli/names/list_commands.h"
#include "milter/names/list_entries.h"

namespace shingled::milter::cli {

/// A domain stands for all below it, too, as people expect it to: newsletters come from
/// news.shop.example. Who wants one domain alone writes the line himself, without the dot.
/// Errors: kInvalid: none or several options, or an entry that is wrong.
Result<names::NamedEntry> entry_of(const EntryArguments& arguments);

}  // namespace shingled::milter::cli
