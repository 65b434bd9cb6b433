#pragma once

#include <memory>
#include <string>

#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/desk/daemon_history.h"

namespace shingled::milter::cli {

// The commands on the history. Each returns its exit code.

struct HistoryArguments : desk::HistoryQuestion {
  std::shared_ptr<SettingsArguments> settings;
  bool json = false;
};

/// Lists messages, the newest first.
int run_history(const HistoryArguments& arguments, Console& console);

struct HistoryShowArguments {
  std::shared_ptr<SettingsArguments> settings;
  std::string queue_id;
  bool json = false;
};

/// Shows everything that is known of the messages of a name (history::MessageName). EX_NOINPUT if
/// there is none.
int run_history_show(const HistoryShowArguments& arguments, Console& console);

}  // namespace shingled::milter::cli
