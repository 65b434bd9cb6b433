#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "config/options/settings.h"

namespace shingled::milter::desk {

/// The user that owns the files, and the environment that says where they go.
struct StateHome {
  uid_t user = 0;
  std::string xdg_state_home;  ///< $XDG_STATE_HOME
  std::string home;            ///< $HOME
};

/// Who runs this program.
StateHome state_home();

/// The folder for files that the settings do not name, instead of /var/lib/shingled. Empty for
/// root, who can create that folder, and for users without a home.
/// Source: XDG Base Directory 0.8; a relative path is ignored.
std::optional<std::string> own_state_folder(const StateHome& home);

/// Puts the files of built-in defaults into `folder`.
void keep_files_in(const std::string& folder, Settings& settings);

}  // namespace shingled::milter::desk
