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

/// Calls `work` with each message and returns the worst exit code.
///
/// A name that cannot be read is reported and counts with its own code; the others go on. So does a
/// message for which `work` returns EX_DATAERR. Any other code concerns the service and ends the
/// loop, as Ctrl-C and a closed output do.
int for_each_message(const MessageArguments& arguments, const MessageSource::Options& options,
                     Console& console, const std::function<int(const SourceMessage&)>& work);

}  // namespace shingled::milter::cli
