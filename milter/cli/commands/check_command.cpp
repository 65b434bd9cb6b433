#include <fmt/format.h>
#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "milter/cli/access/message_option.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/access/server_options.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/cli/commands/commands.h"
#include "milter/cli/commands/elsewhere.h"
#include "milter/cli/output/further_matches.h"
#include "milter/cli/output/lookup_output.h"
#include "milter/desk/daemon_choice.h"
#include "milter/desk/hash_cases.h"
#include "milter/desk/servers/asking.h"

namespace shingled::milter::cli {

namespace {

struct CheckArguments {
  SettingsArguments settings;
  desk::ServerArguments server;
  MessageArguments messages;
  std::string flag;
  bool json = false;
};

/// Whether a look-up found its hash, on the list of that flag if one is given.
bool is_found(const rules::Lookup& lookup, const std::optional<std::uint32_t>& flag) {
  if (lookup.outcome != rules::Lookup::Outcome::kHit) return false;
  const auto& flags = lookup.match.flags;
  const auto end =
      flags.begin() + std::min<std::ptrdiff_t>(lookup.match.flag_count, std::ssize(flags));
  return !flag || std::any_of(flags.begin(), end,
                              [&](const storage::FlagValue& entry) { return entry.flag == *flag; });
}

/// What the daemon knows beside the answers of the storage.
struct Companions {
  desk::FurtherMatches further;
  desk::HashCases cases;
};

/// A line for each look-up about whose hash people reported something.
void print_cases(const rules::Facts& facts, const std::vector<RuleOptions>& rules,
                 desk::HashCases& cases, Console& console) {
  for (const rules::Lookup& lookup : facts.lookups) {
    const auto found = cases.of(lookup, rules[lookup.rule_index]);
    if (!found) continue;
    console.line(fmt::format("  {} ({}) is in case {}",
                             lookup.hash.part.empty() ? "-" : lookup.hash.part,
                             mime::to_string(lookup.hash.kind), terminal_safe(found->text())));
  }
}

int check_message(const input::SourceMessage& message, const judge::Scanner& scanner,
                  const std::optional<std::uint32_t>& flag, Companions& companions, bool as_json,
                  Console& console) {
  const rules::Facts facts = scanner.scan({.bytes = message.bytes});
  const auto& rules = scanner.settings().rules;
  const auto found =
      std::count_if(facts.lookups.begin(), facts.lookups.end(),
                    [&](const rules::Lookup& lookup) { return is_found(lookup, flag); });
  if (as_json) {
    Json lookups = Json::array();
    for (const rules::Lookup& lookup : facts.lookups) {
      lookups.push_back(lookup_json(lookup, rules[lookup.rule_index]));
      lookups.back()["further"] = companions.further.of(lookup, rules[lookup.rule_index]);
      const auto found_case = companions.cases.of(lookup, rules[lookup.rule_index]);
      lookups.back()["case"] = found_case ? Json(found_case->id) : Json(nullptr);
    }
    // Unknown, so neither true nor false.
    const bool unknown = found == 0 && facts.failed() > 0;
    console.json({{"file", message.name},
                  {"found", unknown ? Json(nullptr) : Json(found > 0)},
                  {"unknown", facts.failed()},
                  {"lookups", std::move(lookups)},
                  {"unasked", facts.unasked},
                  {"incomplete", facts.incomplete}});
  } else if (facts.lookups.empty()) {
    console.line(terminal_safe(message.name) +
                 ": no hash: the message is too short for these rules");
  } else {
    console.line(fmt::format(
        "{}: {} of {} look-ups found{}", terminal_safe(message.name), found, facts.lookups.size(),
        facts.failed() == 0 ? "" : fmt::format(", {} unknown", facts.failed())));
    for (const std::string& line : lookup_lines(facts.lookups, rules, "  ")) console.line(line);
    print_further(facts.lookups, rules, companions.further, console);
    print_cases(facts, rules, companions.cases, console);
  }
  return report_unknown(message.name, facts, console);
}

/// The number of a list by its number or name.
std::optional<std::uint32_t> flag_number(const std::string& flag,
                                         const std::vector<RuleOptions>& rules) {
  for (const RuleOptions& rule : rules)
    if (const auto number = rule.flags.number(flag)) return number;
  return std::nullopt;
}

int no_such_list(const std::string& flag, Console& console) {
  console.error("check", "--flag " + flag + ": no such list; give 1 to 255 or a name of the rule");
  return EX_USAGE;
}

int run_check(CheckArguments arguments, Console& console) {
  take_daemon(arguments.server, arguments.settings);
  const auto settings = arguments.settings.load(console);
  if (!settings) return EX_CONFIG;
  const desk::ServerArguments& server = arguments.server;
  if (desk::asks_another_machine(*settings) && server.servers.empty() && server.rule.empty()) {
    const auto flag = flag_number(arguments.flag, settings->rules);
    if (!arguments.flag.empty() && !flag) return no_such_list(arguments.flag, console);
    return check_elsewhere(arguments.messages, flag, arguments.json, *settings, console);
  }
  SystemClock clock;
  SystemRandom random;
  const auto scanner = desk::open_scanner(arguments.server, *settings, clock, random);
  if (!scanner) {
    console.error("check", scanner.error().message);
    return service_exit_code(scanner.error());
  }
  std::optional<std::uint32_t> flag;
  if (!arguments.flag.empty()) {
    flag = flag_number(arguments.flag, (*scanner)->settings().rules);
    if (!flag) return no_such_list(arguments.flag, console);
  }
  Companions companions{desk::FurtherMatches(*settings, clock), desk::HashCases(*settings, clock)};
  return for_each_message(
      arguments.messages, {.message_bytes_max = settings->milter.message_bytes_max}, console,
      [&](const input::SourceMessage& message) {
        return check_message(message, **scanner, flag, companions, arguments.json, console);
      });
}

}  // namespace

void add_check_command(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("check", "Ask the storage about messages: every look-up of every rule");
  command->footer(
      R"(Exits 0 when every look-up was answered, found or not; 69 (75 after a timeout) when some were not answered;
65 when a message needs more than milter.lookups_max look-ups. If the local daemon has a status page
(http.listen), all its further matches are shown, too, and the case of a hash that people reported (shingled
cases). Look-ups are listed in the order in which they are made: the visible body, other texts, attachments and
images, archives, the larger first in each group.
--server https://HOST asks the daemon of another machine over its API instead of a fuzzy server: that daemon makes the
hashes and looks them up by its own rules. So does client.server without --server and --rule.

Example:
  shingled check --json message.eml
  shingled check --server https://mx.example.org:11340 --key-file /etc/shingled/mx.key message.eml)");
  const auto arguments = std::make_shared<CheckArguments>();
  arguments->settings.add_to(*command);
  arguments->settings.add_daemon_key_to(*command);
  add_server_options(arguments->server, *command);
  add_message_option(arguments->messages.names, *command);
  command
      ->add_option("--flag", arguments->flag, "Only this list counts as found, by number or name")
      ->type_name("N|NAME");
  command->add_flag("--json", arguments->json, "One JSON object per line and message");
  when_asked(*command, chosen, arguments, run_check);
}

}  // namespace shingled::milter::cli
