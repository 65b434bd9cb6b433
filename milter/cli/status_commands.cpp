#include <fmt/format.h>
#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "milter/cli/commands.h"
#include "milter/cli/exit_code.h"
#include "milter/cli/server_choice.h"
#include "milter/cli/service_failure.h"
#include "milter/cli/settings_choice.h"

namespace shingled::milter {

namespace {

using Kind = storage::RemoteRequest::Kind;

struct StatusArguments {
  SettingsArguments settings;
  ServerArguments server;
  bool json = false;
};

/// A question that tells whether a server lives. PING is for our own daemon only: rspamd 3.4 takes
/// it for an update and may abort; a CHECK of a random digest is safe everywhere and asks the
/// backend too (fuzzy-protocol.md section 9.3).
storage::RemoteRequest probe(bool local, Random& random) {
  storage::RemoteRequest request;
  request.kind = local ? Kind::kPing : Kind::kCheck;
  if (!local) random.fill(request.fingerprint.digest.bytes);
  return request;
}

Json answer_json(const Destination& asked, const storage::RemoteAnswer& answer, Kind kind) {
  const auto failure = failure_of(answer);
  Json object = {{"rule", asked.rule->name}, {"server", answer.server}, {"ok", !failure}};
  if (kind == Kind::kStat) object["count"] = failure ? Json(nullptr) : Json(answer.count);
  object["time"] = static_cast<double>(answer.time.count()) / 1e6;
  if (failure) object["error"] = failure->explain();
  return object;
}

/// Asks every server of every destination, each server once.
int run_status(const StatusArguments& arguments, Kind kind, Console& console) {
  const std::string name = kind == Kind::kStat ? "stat" : "ping";
  const auto settings = arguments.settings.load(console);
  if (!settings) return EX_CONFIG;
  const auto destinations = choose_destinations(arguments.server, *settings);
  if (!destinations) {
    console.error(name, destinations.error().message);
    return usage_exit_code(destinations.error());
  }
  SystemClock clock;
  SystemRandom random;
  std::vector<TableRow> rows;
  std::vector<RemoteOptions> asked;
  int worst = EX_OK;
  for (const Destination& destination : *destinations) {
    if (std::find(asked.begin(), asked.end(), destination.remote) != asked.end()) continue;
    asked.push_back(destination.remote);
    const auto store = storage::RemoteStore::open(destination.remote, clock, random);
    if (!store) {
      console.error("rule " + destination.rule->name, store.error().message);
      worst = worse_exit_code(worst, exit_code(store.error().code));
      continue;
    }
    storage::RemoteRequest request = probe(destination.local, random);
    if (kind == Kind::kStat) request.kind = kind;
    for (const auto& answer :
         storage::ask_each(**store, request, patience(destination.remote, clock))) {
      if (arguments.json) console.json(answer_json(destination, answer, kind));
      if (const auto failure = failure_of(answer)) {
        console.error(name, failure->explain());
        worst = worse_exit_code(worst, failure->exit_code());
      } else if (!arguments.json) {
        rows.push_back({answer.server,
                        kind == Kind::kStat ? counted(answer.count, "hash", "hashes") : "alive",
                        milliseconds_text(answer.time) + " ms"});
      }
    }
  }
  for (const std::string& line : table_lines(rows, "")) console.line(line);
  return worst;
}

CLI::App* add_status_command(CLI::App& app, Command& chosen, const std::string& name, Kind kind,
                             const std::string& summary) {
  CLI::App* command = app.add_subcommand(name, summary);
  const auto arguments = std::make_shared<StatusArguments>();
  arguments->settings.add_to(*command);
  arguments->server.add_to(*command);
  command->add_flag("--json", arguments->json, "One JSON object a line and server");
  command->callback([arguments, kind, &chosen] {
    chosen = [arguments, kind](Console& console) { return run_status(*arguments, kind, console); };
  });
  return command;
}

}  // namespace

void add_status_commands(CLI::App& app, Command& chosen) {
  add_status_command(app, chosen, "stat", Kind::kStat, "How many hashes each server has")
      ->footer(R"(Example:
  shingled stat --server 192.0.2.1:11335)");
  add_status_command(app, chosen, "ping", Kind::kPing, "Whether each server answers, and how fast")
      ->footer(R"(Example:
  shingled ping --json)");
}

}  // namespace shingled::milter
