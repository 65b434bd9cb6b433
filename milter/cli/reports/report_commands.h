#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"

namespace shingled::milter::cli {

/// The arguments of `shingled report`.
struct ReportArguments {
  SettingsArguments settings;
  bool spam = false;
  bool ham = false;
  std::string reporter;               ///< empty = the user who runs the command
  std::string spool;                  ///< a folder; empty = none
  bool later = false;                 ///< only keep reports in the spool
  bool unwrap = false;                ///< report the messages that are attached to the given ones
  std::vector<std::string> messages;  ///< of the history, by queue id
  std::string flush;                  ///< deliver what is in this folder, and nothing else
  std::vector<std::string> names;
  bool json = false;
};

/// The arguments of `shingled reporters`.
struct ReportersArguments {
  SettingsArguments settings;
  std::size_t limit = 20;
  bool json = false;
};

/// The arguments of `shingled cases` and its commands.
struct CasesArguments {
  SettingsArguments settings;
  std::string since = "14d";
  std::size_t limit = 50;
  std::string id;      ///< of one case; empty = list them
  std::string ruling;  ///< "close", "reopen"; empty = only look
  bool names = false;
  bool json = false;
};

// Each runs a command and returns its exit code.
int run_report(ReportArguments& arguments, Console& console);
int run_reporters(ReportersArguments& arguments, Console& console);
int run_cases(CasesArguments& arguments, Console& console);

}  // namespace shingled::milter::cli
