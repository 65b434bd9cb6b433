#pragma once

#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/similar/files/signed_loop.h"

namespace shingled::milter::cli {

struct SignArguments {
  SettingsArguments settings;  ///< accepted and ignored, as every command takes -c
  similar::InputArguments input;
  bool json = false;
};

/// Prints signatures of the bytes of files as ssdeep's CSV; the exit code.
int run_sign(const SignArguments& arguments, Console& console);

struct CompareArguments {
  SettingsArguments settings;  ///< accepted and ignored
  similar::InputArguments input;
  int threshold = 1;
  bool csv = false;
  bool json = false;
};

/// Compares all inputs with each other and prints the similar pairs; two single files are always
/// printed.
/// Memory: all signatures, with an index of them.
int run_compare(const CompareArguments& arguments, Console& console);

}  // namespace shingled::milter::cli
