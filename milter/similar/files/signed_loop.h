#pragma once

#include <functional>
#include <string>
#include <vector>

#include "milter/similar/files/signed_input.h"
#include "milter/terminal/console.h"

namespace shingled::milter::similar {

/// The files of a command, and how to read them.
struct InputArguments {
  std::vector<std::string> names;
  unsigned jobs = 0;  ///< 0 = one for each processor
  bool bare_names = false;
  bool absolute_names = false;
};

/// Signs the files and gives them to `take` one after the other, in their order, while the next
/// ones are being read. Returns the worst exit code.
///
/// A file that cannot be read is reported and counts with its own code; the others are read. So
/// does a file for which `take` returns EX_DATAERR. Any other code ends it, as Ctrl-C and a closed
/// output do.
/// Memory: a piece of each file that is read; a whole container while it is open.
int for_each_signed(const InputArguments& arguments, const similar::SigningOptions& options,
                    terminal::Console& console,
                    const std::function<int(similar::SignedInput)>& take);

}  // namespace shingled::milter::similar
