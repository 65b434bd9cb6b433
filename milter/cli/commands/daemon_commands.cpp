#include <sysexits.h>

#include <CLI/CLI.hpp>

#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/cli/commands/commands.h"
#include "milter/daemon/daemon.h"

namespace shingled::milter::cli {

void add_run_command(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("run", "The daemon: milter and fuzzy storage, in the foreground");
  command->footer(
      R"(Signals: SIGTERM ends the daemon after the messages in progress, SIGHUP reloads the configuration,
SIGUSR1 reopens the log file.

Example:
  shingled run -o storage.hashfile=/tmp/fuzzy.db -o milter.socket=inet:11339@127.0.0.1)");
  const auto source = std::make_shared<SettingsArguments>();
  source->add_to(*command);
  command->callback([source, &chosen] {
    chosen = [source](Console& console) {
      const auto checked = source->load_checked(console, daemon::OtherNames::kLeave);
      if (checked.settings == nullptr) return EX_CONFIG;
      return daemon::run_daemon(checked.settings,
                                {source->chosen_file(), source->all_overrides(), checked.warnings});
    };
  });
}

void add_configtest_command(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "configtest", "Check the configuration: every problem with file:line:column");
  command->footer(
      R"(Also checks what the settings refer to: list files, keys, users, folders, host names. An error would
keep the daemon from starting or from reloading, or a part of it from working. Root checks with the rights of
daemon.user, or else of the owner of the folder of storage.hashfile. With a warning it starts, but probably does not do what
was intended. Exits 0 without an error, else 78 (EX_CONFIG).

Example:
  shingled configtest -c /etc/shingled/shingled.yaml)");
  const auto source = std::make_shared<SettingsArguments>();
  source->add_to(*command);
  command->callback([source, &chosen] {
    chosen = [source](Console& console) {
      const auto checked = source->load_checked(console, daemon::OtherNames::kLookUp);
      for (const config::Problem& warning : checked.warnings)
        console.note(terminal_safe(warning.to_string()));
      if (checked.settings == nullptr) return EX_CONFIG;
      const std::string file = source->chosen_file();
      const std::size_t warnings = checked.warnings.size();
      const std::string user = daemon::checked_as(*checked.settings);
      console.line((file.empty() ? "built-in defaults" : terminal_safe(file)) +
                   ": no problem found" + (user.empty() ? "" : " as user " + terminal_safe(user)) +
                   (warnings == 0 ? "" : ", " + counted(warnings, "warning", "warnings")));
      std::string promoted;
      for (const PolicyRuleOptions& rule : checked.settings->policy.rules)
        if (rule.promoted) promoted += (promoted.empty() ? "" : ", ") + rule.name;
      if (!promoted.empty())
        console.line("out of shadow by their figures (policy.promote): " + terminal_safe(promoted));
      return EX_OK;
    };
  });
}

}  // namespace shingled::milter::cli
