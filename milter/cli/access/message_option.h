#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace shingled::milter::cli {

/// Adds the messages that a command works on, as arguments without a name.
inline void add_message_option(std::vector<std::string>& names, CLI::App& command) {
  command
      .add_option("messages", names,
                  "Files, mboxes, directories (Maildirs too) or - for standard input")
      ->type_name("FILE|DIR|MBOX|-");
}

}  // namespace shingled::milter::cli
