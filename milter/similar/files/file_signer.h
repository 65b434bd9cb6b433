#pragma once

#include <cstdint>
#include <string>

#include "config/base/result.h"
#include "config/system/unique_fd.h"
#include "milter/input/file_tree.h"
#include "milter/similar/files/signed_input.h"

namespace shingled::milter::similar {

/// A file that was read, or the beginning of a list of signatures.
struct ReadFile {
  SignedInput input;
  UniqueFd list;          ///< valid: a list of signatures, to be read on from here
  std::string beginning;  ///< of that list: what was read of it already
};

/// Reads a file to its end, in pieces of kReadBytes, and signs it.
///
/// Errors: those of os_error; kTimeout after Ctrl-C.
/// Threads: any, at the same time.
Result<ReadFile> sign_file(const input::TreeFile& file, const SigningOptions& options);

}  // namespace shingled::milter::similar
