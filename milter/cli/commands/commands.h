#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <memory>

#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"

namespace shingled::milter::cli {

/// A command with parsed arguments, ready to run. Returns its exit code.
using Command = std::function<int(Console&)>;

/// Whoever asks for the command gets `run` with its arguments.
template <typename Arguments, typename Run>
void when_asked(CLI::App& command, Command& chosen, const std::shared_ptr<Arguments>& arguments,
                Run run) {
  command.callback([arguments, run, &chosen] {
    chosen = [arguments, run](Console& console) { return run(*arguments, console); };
  });
}

/// Adds a verb whose arguments `describe` declares; `run` does it. With `settings` it has the -c
/// and -o of the command above it.
template <typename Arguments, typename Taken>
void add_verb(CLI::App& parent, Command& chosen, const char* name, const char* summary,
              int (*run)(Taken&, Console&), void (*describe)(CLI::App&, Arguments&),
              const std::shared_ptr<SettingsArguments>& settings = {}) {
  CLI::App* verb = parent.add_subcommand(name, summary);
  const auto arguments = std::make_shared<Arguments>();
  if constexpr (requires { arguments->settings = settings; }) {
    verb->fallthrough();
    arguments->settings = settings;
  }
  describe(*verb, *arguments);
  when_asked(*verb, chosen, arguments, run);
}

/// Each function adds its command to the command line. `chosen` is set to it when the user asks for
/// it.
void add_run_command(CLI::App& app, Command& chosen);
void add_configtest_command(CLI::App& app, Command& chosen);
void add_config_command(CLI::App& app, Command& chosen);  ///< --effective, explain
void add_train_commands(CLI::App& app, Command& chosen);  ///< add, del
void add_check_command(CLI::App& app, Command& chosen);
void add_scan_command(CLI::App& app, Command& chosen);
void add_hash_command(CLI::App& app, Command& chosen);
void add_explain_command(CLI::App& app, Command& chosen);
void add_list_command(CLI::App& app, Command& chosen);
void add_status_commands(CLI::App& app, Command& chosen);  ///< stat, ping
void add_buckets_command(CLI::App& app, Command& chosen);
void add_counters_command(CLI::App& app, Command& chosen);  ///< pieces, show ...
void add_history_command(CLI::App& app, Command& chosen);
void add_report_commands(CLI::App& app, Command& chosen);  ///< report, reporters, cases
void add_similar_command(CLI::App& app, Command& chosen);
void add_features_command(CLI::App& app, Command& chosen);
void add_policy_command(CLI::App& app, Command& chosen);      ///< check, test, try
void add_model_command(CLI::App& app, Command& chosen);       ///< train, show, try ...
void add_name_list_commands(CLI::App& app, Command& chosen);  ///< allow, block
void add_backup_command(CLI::App& app, Command& chosen);
void add_restore_command(CLI::App& app, Command& chosen);
void add_verify_command(CLI::App& app, Command& chosen);
void add_stores_command(CLI::App& app, Command& chosen);
void add_export_command(CLI::App& app, Command& chosen);
void add_import_command(CLI::App& app, Command& chosen);
void add_keypair_command(CLI::App& app, Command& chosen);
void add_account_commands(CLI::App& app, Command& chosen);    ///< key, passwd
void add_reference_commands(CLI::App& app, Command& chosen);  ///< completion, manual
void add_setup_command(CLI::App& app, Command& chosen);

}  // namespace shingled::milter::cli
