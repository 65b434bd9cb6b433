#include "milter/cli/access/server_options.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "milter/cli/access/printing.h"

namespace shingled::milter::cli {

void add_server_options(desk::ServerArguments& servers, CLI::App& command) {
  command
      .add_option("--server", servers.servers,
                  "Fuzzy server (default: the rule's servers, else the local daemon); repeatable")
      ->type_name("HOST:PORT")
      ->allow_extra_args(false);
  command
      .add_option("--key", servers.key, "Public key of the servers; requests are then encrypted")
      ->type_name("PUBKEY");
  command.add_option("--rule", servers.rule, "Rule of the configuration to use")->type_name("NAME");
  command.add_option("--tcp", servers.tcp, "Ask over TCP (default: as the rule says)")
      ->type_name("yes|no|auto")
      ->check(CLI::IsMember({"yes", "no", "auto"}));
  command
      .add_option("--protocol", servers.protocol,
                  "Version byte of the requests (default: negotiated)")
      ->type_name("3|4|5|0x14")
      ->check(CLI::IsMember({"3", "4", "5", "0x14"}));
}

std::string server_options_again(const desk::ServerArguments& servers) {
  std::string text;
  for (const std::string& server : servers.servers) text += " --server " + shell_word(server);
  for (const auto& [option, value] :
       {std::pair{" --key ", &servers.key}, std::pair{" --tcp ", &servers.tcp},
        std::pair{" --protocol ", &servers.protocol}}) {
    if (!value->empty()) text += option + shell_word(*value);
  }
  return text;
}

}  // namespace shingled::milter::cli
