#pragma once

#include <string>
#include <string_view>

#include "milter/reference/command_tree.h"

namespace shingled::milter::reference {

/// Manual pages in the macros of man(7), made from the table of commands.
/// `system_page`: the source of shingled(8), whose section COMMANDS describes commands at length,
/// and whose date the pages get.
/// Threads: stateless.

/// shingled(1): the commands, each with one sentence.
std::string program_page(const CommandFacts& root, std::string_view system_page);
/// shingled-COMMAND(1): options, arguments, verbs and examples of one command.
std::string command_page(const CommandFacts& command, std::string_view system_page);

}  // namespace shingled::milter::reference
