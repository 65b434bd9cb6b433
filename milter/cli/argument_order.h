#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "config/base/result.h"

namespace shingled::milter::cli {

/// The arguments in the order the parser wants them, which is not the only one people write:
///
///   help, help COMMAND [VERB]        becomes --help, COMMAND [VERB] --help
///   OPTIONS COMMAND [OPTIONS VERB]   becomes COMMAND [VERB] OPTIONS, where the command (or the
///                                    verb) has all of these options
///
/// `arguments` are without the program's name. The rest stays as it is; whether it is right is the
/// parser's matter.
/// Errors: kInvalid for a word in the place of a command that does not exist, with the command that
/// was probably meant, and for an option before a command that does not have it.
Result<std::vector<std::string>> in_parsing_order(const CLI::App& app,
                                                  std::vector<std::string> arguments);

/// The option of the command that is most similar to `word` ("--jsno"); "" = none is similar.
std::string nearest_option(const CLI::App& command, const std::string& word);

}  // namespace shingled::milter::cli
