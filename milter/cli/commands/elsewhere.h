#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/options/settings.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/desk/servers/server_choice.h"
#include "storage/formats/row_list.h"

namespace shingled::milter::cli {

// What commands do with the storage of a daemon on another machine, over its API.

/// If --server names a daemon (https://HOST) and not a fuzzy server, it becomes the daemon of the
/// settings.
void take_daemon(desk::ServerArguments& server, SettingsArguments& settings);

/// `shingled check` by the daemon that section `client` names: it makes the hashes, and looks them
/// up by its own rules. Returns the exit code.
int check_elsewhere(const MessageArguments& messages, std::optional<std::uint32_t> flag, bool json,
                    const Settings& settings, Console& console);

/// `shingled list` of that daemon. Returns the exit code.
int list_elsewhere(const storage::formats::RowChoice& choice, const std::string& order,
                   std::size_t most, bool json, const Settings& settings, Console& console);

}  // namespace shingled::milter::cli
