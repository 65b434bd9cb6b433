#pragma once

#include <string>
#include <vector>

#include "milter/reference/command_tree.h"

namespace shingled::milter::reference {

/// Scripts by which a shell completes the command line: names of commands and options, the values
/// of options that allow a few, names of lists and keys of the settings, and files. `root` is the
/// tree of the whole program.
/// Threads: stateless.

/// The keys of the settings that can be written as they are: none with a name of the user in it.
std::vector<std::string> complete_keys();

/// For bash; it defines the function _shingled, and needs no package with helpers.
std::string bash_completion(const CommandFacts& root);
/// For zsh, as the file _shingled in a folder of fpath.
std::string zsh_completion(const CommandFacts& root);

}  // namespace shingled::milter::reference
