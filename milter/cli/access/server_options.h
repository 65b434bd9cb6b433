#pragma once

#include <CLI/App.hpp>
#include <string>

#include "milter/desk/servers/server_choice.h"

namespace shingled::milter::cli {

/// Adds --server, --key, --rule, --tcp and --protocol to a command.
void add_server_options(desk::ServerArguments& servers, CLI::App& command);

/// Options with which another command meets the same servers: " --server HOST --key PUBKEY",
/// quoted for a shell; without the rule.
std::string server_options_again(const desk::ServerArguments& servers);

}  // namespace shingled::milter::cli
