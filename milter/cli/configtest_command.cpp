#include <sysexits.h>

#include <CLI/CLI.hpp>

#include "milter/cli/commands.h"
#include "milter/cli/settings_choice.h"

namespace shingled::milter {

void add_configtest_command(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "configtest", "Check the configuration: every problem with file:line:column");
  command->footer(R"(Exits 0 when the configuration is right, 78 (EX_CONFIG) when it is not.

Example:
  shingled configtest -c /etc/shingled/shingled.yaml)");
  const auto source = std::make_shared<SettingsArguments>();
  source->add_to(*command);
  command->callback([source, &chosen] {
    chosen = [source](Console& console) {
      if (!source->load(console)) return EX_CONFIG;
      const std::string file = source->chosen_file();
      console.line((file.empty() ? "built-in defaults" : terminal_safe(file)) +
                   ": no problem found");
      return EX_OK;
    };
  });
}

}  // namespace shingled::milter
