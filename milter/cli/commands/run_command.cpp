#include <sysexits.h>

#include <CLI/CLI.hpp>

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
                                {source->chosen_file(), source->overrides, checked.warnings});
    };
  });
}

}  // namespace shingled::milter::cli
