#include <sysexits.h>

#include <CLI/CLI.hpp>

#include "config/base/random.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/cli/commands/commands.h"
#include "storage/crypto/keypair.h"

namespace shingled::milter::cli {

void add_keypair_command(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("keypair", "Make a key pair, in rspamd's text form and as YAML");
  command->footer(R"(Give clients the public key; keep the private key secret.

Example:
  shingled keypair)");
  const auto settings = std::make_shared<SettingsArguments>();
  settings->add_to(*command);
  // -c and -o are accepted and ignored: someone who needs a key may not have valid settings yet.
  // The parser writes to them, so they live as long as the command.
  command->callback([settings, &chosen] {
    chosen = [settings](Console& console) {
      (void)settings;
      SystemRandom random;
      const Keypair keypair = storage::crypto::generate_keypair(random);
      console.line("# rspamd:\n" + storage::crypto::to_ucl(keypair));
      console.line("# shingled.yaml, in the section storage:\n" +
                   storage::crypto::to_yaml(keypair));
      return EX_OK;
    };
  });
}

}  // namespace shingled::milter::cli
