#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "milter/cli/access/settings_choice.h"
#include "milter/cli/terminal/console.h"

namespace shingled::milter::cli {

// The commands on the history. Each returns its exit code.

/// From when to when: times ago ("7d") or moments ("2026-11-23", "2026-11-23T22:10", UTC).
struct HistorySpanArguments {
  std::string since;  ///< empty = from the first message
  std::string until;  ///< empty = to the last one
};

struct HistoryArguments {
  std::shared_ptr<SettingsArguments> settings;
  HistorySpanArguments span;
  std::string from;    ///< an address; "<>" = bounces
  std::string symbol;  ///< only messages with this evidence
  std::string action;  ///< "pass", "reject" ...
  std::string label;   ///< "spam", "ham", "none"
  std::size_t limit = 100;
  bool json = false;
};

/// Lists messages, the newest first.
int run_history(const HistoryArguments& arguments, Console& console);

struct HistoryShowArguments {
  std::shared_ptr<SettingsArguments> settings;
  std::string queue_id;
  bool json = false;
};

/// Shows everything that is known of the messages with a queue id. EX_NOINPUT if there is none.
int run_history_show(const HistoryShowArguments& arguments, Console& console);

struct PolicyTryArguments {
  std::shared_ptr<SettingsArguments> settings;
  std::string rules;   ///< a file of rules; empty = those of the configuration
  std::string config;  ///< another configuration, whose rules and thresholds count
  bool live = false;   ///< as if no rule were in shadow
  HistorySpanArguments span = {.since = "7d"};
  bool json = false;
};

/// Tries rules on the history.
int run_policy_try(const PolicyTryArguments& arguments, Console& console);

}  // namespace shingled::milter::cli
