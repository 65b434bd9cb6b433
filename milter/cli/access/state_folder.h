#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "config/options/settings.h"

namespace shingled::milter::cli {

/// Whose files they are, and what his surroundings say about where they go.
struct StateHome {
  uid_t user = 0;
  std::string xdg_state_home;  ///< $XDG_STATE_HOME
  std::string home;            ///< $HOME
};

/// Who runs this program.
StateHome state_home();

/// Where the files stand that the settings do not name, instead of /var/lib/shingled: nothing for
/// root, who can make that folder, and where there is no home.
/// Source: XDG Base Directory 0.8, by which a relative path counts as none.
std::optional<std::string> own_state_folder(const StateHome& home);

/// Puts the files of built-in defaults into `folder`.
void keep_files_in(const std::string& folder, Settings& settings);

}  // namespace shingled::milter::cli
