#pragma once

#include <cstdint>
#include <string>

#include "milter/cli/terminal/console.h"
#include "milter/history/message_record.h"
#include "storage/sqlite/history/history_table.h"

namespace shingled::milter::cli {

/// A message of the history: its row and what is in it. The view must outlive the call.
struct ShownMessage {
  const storage::sqlite::HistoryReader::View& row;
  const history::MessageRecord& record;
};

/// "reject"; "unknown" for a number that is no action.
std::string action_text(std::uint8_t action);
std::string label_text(std::uint8_t label);

/// Time, queue id, action, score, label and evidence, for a table.
TableRow message_row(const ShownMessage& message);
/// The same for programs.
Json message_json(const ShownMessage& message);
/// With features and counters.
Json whole_message_json(const ShownMessage& message);
/// Prints everything for people.
void print_message(const ShownMessage& message, Console& console);

}  // namespace shingled::milter::cli
