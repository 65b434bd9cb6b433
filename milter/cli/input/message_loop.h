#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "milter/cli/input/message_source.h"
#include "milter/cli/terminal/console.h"

namespace shingled::milter::cli {

/// The messages a command is to work on.
struct MessageArguments {
  std::vector<std::string> names;  ///< files, mboxes, directories, "-"; empty = standard input

  void add_to(CLI::App& command);
};

/// Calls `work` with each message and returns the worst exit code of all of them.
///
/// A name that cannot be read is reported, counts with its own code, and the others go on. So does
/// a message for which `work` returns EX_DATAERR. Any other code of `work` is about the service,
/// not the message: it ends the loop, as Ctrl-C and a closed output do.
int for_each_message(const MessageArguments& arguments, const MessageSource::Options& options,
                     Console& console, const std::function<int(const SourceMessage&)>& work);

}  // namespace shingled::milter::cli
