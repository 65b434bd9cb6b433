#pragma once

#include <memory>
#include <string>
#include <vector>

#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/replay/history_span.h"

namespace shingled::milter::cli {

// The commands on rules. Each returns its exit code.

struct FeaturesArguments {
  SettingsArguments settings = {};  ///< as every command has; the list is always the same
  bool model = false;               ///< the columns of the model instead
  bool json = false;
};

/// Prints what conditions can ask, or what the model is given.
int run_features(const FeaturesArguments& arguments, Console& console);

struct PolicyArguments {
  std::shared_ptr<SettingsArguments> settings;
  bool json = false;
};

struct PolicyCheckArguments : PolicyArguments {
  std::vector<std::string> files;
};

/// Prints all problems of files of rules, or of the rules in force. EX_CONFIG if one is an error.
int run_policy_check(const PolicyCheckArguments& arguments, Console& console);

struct PolicyTestArguments : PolicyArguments {
  std::string cases;
  std::vector<std::string> rules;  ///< files; empty = the rules in force
};

/// Compares what the rules say of messages, made up or in files, with what they should say.
/// EX_DATAERR if they differ, EX_NOINPUT for a message that cannot be read.
int run_policy_test(const PolicyTestArguments& arguments, Console& console);

struct PolicyTryArguments : PolicyArguments {
  std::vector<std::string> rules;  ///< files; empty = the rules of the configuration
  bool live = false;               ///< as if no rule were in shadow
  replay::HistorySpan span = {.since = "7d"};
};

/// Tries rules on the history.
int run_policy_try(const PolicyTryArguments& arguments, Console& console);

struct PolicyStatusArguments : PolicyArguments {};

/// Prints where each rule stands: live, in shadow, proposed or out of shadow by its figures.
int run_policy_status(const PolicyStatusArguments& arguments, Console& console);

/// The settings with the rules of these files instead of their own.
SettingsArguments with_rules_of(const SettingsArguments& settings,
                                const std::vector<std::string>& files);

}  // namespace shingled::milter::cli
