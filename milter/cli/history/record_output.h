#pragma once

#include "milter/cli/terminal/console.h"
#include "milter/history/message_search.h"

namespace shingled::milter::cli {

/// Time, queue id, action, score, label and evidence, for a table.
TableRow message_row(const history::FoundMessage& message);
/// Prints everything for people.
void print_message(const history::FoundMessage& message, Console& console);

}  // namespace shingled::milter::cli
