#pragma once

#include "milter/terminal/console.h"
#include "milter/view/json.h"

namespace shingled::milter::view {

// Messages of the history for people, from what programs get: so they are the same whether the file
// is here or a daemon elsewhere has it. Members that are missing or of another type are left out.

/// Time, queue id, action, score, label and evidence, for a table. `message`: view::message_json.
terminal::TableRow message_row(const Json& message);
/// Prints everything. `message`: view::whole_message_json.
void print_message(const Json& message, terminal::Console& console);

}  // namespace shingled::milter::view
