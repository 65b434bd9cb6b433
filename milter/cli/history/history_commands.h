#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "milter/cli/access/settings_choice.h"
#include "milter/cli/terminal/console.h"
#include "milter/replay/history_span.h"

namespace shingled::milter::cli {

// The commands on the history. Each returns its exit code.

struct HistoryArguments {
  std::shared_ptr<SettingsArguments> settings;
  replay::HistorySpan span;
  std::string from;       ///< an address or a part of one; "<>" = bounces
  std::string recipient;  ///< a part of an address
  std::string subject;    ///< a part
  std::string digest;     ///< the beginning of one
  std::string symbol;     ///< only messages with this evidence
  std::string action;     ///< "pass", "reject" ...
  std::string label;      ///< "spam", "ham", "none"
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

/// Shows everything that is known of the messages of a name (history::MessageName). EX_NOINPUT if
/// there is none.
int run_history_show(const HistoryShowArguments& arguments, Console& console);

}  // namespace shingled::milter::cli
