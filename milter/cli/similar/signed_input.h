#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/options/similar_options.h"
#include "milter/cli/terminal/console.h"
#include "mime/fingerprint/spamsum.h"

namespace shingled::milter::cli {

/// A file that was signed, or a row of a list of signatures.
struct SignedInput {
  struct Piece {
    std::string path;  ///< "" = the whole; else the entry of the container that it is
    std::uint64_t bytes = 0;
    fingerprint::Spamsum signature;
    std::string parts;  ///< the free form, where it is wanted
  };
  std::string name;
  bool listed = false;             ///< a row of a list: there is a signature, and nothing else
  std::vector<Piece> pieces;       ///< the whole first
  std::vector<std::string> notes;  ///< what of a container was left out, and why
};

/// How to sign the files.
struct SigningOptions {
  bool lists = false;  ///< an argument that is a list of signatures stands for its rows
  bool open_containers = false;
  bool parts = false;      ///< the free form, too
  SimilarOptions similar;  ///< its block size and bounds
};

/// The files of a command, and how to read them.
struct InputArguments {
  std::vector<std::string> names;
  unsigned jobs = 0;  ///< 0 = one for each processor
  bool bare_names = false;
  bool absolute_names = false;

  /// `what` of the positional, such as "FILE|DIR|-".
  void add_to(CLI::App& command, const std::string& what);
};

/// Signs the files and gives them to `take` one after the other, in their order, while the next
/// ones are being read. Returns the worst exit code.
///
/// A file that cannot be read is reported and counts with its own code; the others are read. So
/// does a file for which `take` returns EX_DATAERR. Any other code ends it, as Ctrl-C and a closed
/// output do.
/// Memory: a piece of each file that is read; a whole container while it is open.
int for_each_signed(const InputArguments& arguments, const SigningOptions& options,
                    Console& console, const std::function<int(SignedInput)>& take);

}  // namespace shingled::milter::cli
