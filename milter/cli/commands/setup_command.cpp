#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sysexits.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "config/base/clock.h"
#include "config/base/zbase32.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/cli/commands/commands.h"
#include "milter/setup/plan.h"
#include "milter/setup/reports_setup.h"
#include "milter/setup/setup_run.h"

namespace shingled::milter::cli {

namespace {

using setup::Peer;

struct SetupArguments {
  SettingsArguments settings;
  std::string peer;
  bool print = false;
  bool check = false;
  bool apply = false;
  bool remove = false;
  std::string folder;
  std::string share = "/usr/share/shingled/dovecot";
  std::string compiled = "/var/cache/shingled/dovecot";
  bool no_junk_rule = false;
  std::string residents;
};

Peer peer_of(const std::string& name) {
  if (name == "postfix") return Peer::kPostfix;
  if (name == "sendmail") return Peer::kSendmail;
  if (name == "reports") return Peer::kReports;
  return name == "dovecot" ? Peer::kDovecot : Peer::kRspamd;
}

setup::OwnFacts own_facts(const Settings& settings, const SetupArguments& arguments) {
  setup::OwnFacts own;
  own.milter = settings.milter.socket;
  own.has_milter = settings.milter.enabled;
  own.socket_group = settings.milter.socket_group;
  const ServerOptions& server = settings.storage.server;
  if (settings.storage.enabled && !server.listen.empty()) own.storage = server.listen.front();
  if (server.encrypted_only && !server.keypair.empty())
    own.storage_key = to_zbase32(server.keypair.back().public_key);
  for (const RuleOptions& rule : settings.rules) {
    if (!rule.remote.servers.empty() || !own.lists.empty()) continue;
    for (const FlagOptions& flag : rule.flags.all())
      own.lists.push_back({flag.symbol, flag.flag, flag.hits_limit});
  }
  own.share = arguments.share;
  own.compiled = arguments.compiled;
  own.junk_rule = !arguments.no_junk_rule;
  own.status_header = settings.milter.headers.status;
  own.spam_header = settings.milter.headers.spam;
  own.settings_file = arguments.settings.chosen_file();
  own.residents = arguments.residents;
  return own;
}

std::string shown_value(const std::string& value) {
  if (value.empty()) return "(nothing)";
  return terminal_safe(value);
}

/// Whether a value is lines of a file, not the value of one setting.
bool is_text(const std::string& value) {
  return value.find('\n') != std::string::npos || value.ends_with("dnl");
}

void print_wanted(const setup::Plan& plan, Console& console) {
  for (const setup::Difference& one : plan.differences) {
    console.line("# " + one.why);
    const bool whole = is_text(one.wanted);
    console.line(whole ? one.wanted : one.setting + " = " + one.wanted);
  }
}

/// Each line of a text, indented.
void print_lines(std::string_view text, Console& console) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    console.line("  " + terminal_safe(line));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
}

void print_differences(const std::string& peer, const setup::Plan& plan, Console& console) {
  for (const setup::Difference& one : plan.differences) {
    if (is_text(one.wanted)) {
      console.line(
          fmt::format("{}: {}: is {}, should be:", peer, one.setting, shown_value(one.now)));
      print_lines(one.wanted, console);
      continue;
    }
    console.line(fmt::format("{}: {}: is {}, should be {}", peer, one.setting, shown_value(one.now),
                             shown_value(one.wanted)));
  }
}

/// "20261123221000", for names of copies.
std::string time_stamp() {
  return fmt::format(
      "{:%Y%m%d%H%M%S}",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

class SetupCommand {
 public:
  SetupCommand(const SetupArguments& arguments, setup::SetupRun& run, Console& console)
      : arguments_(arguments), run_(run), console_(console) {}

  int run() {
    auto plan = look();
    if (!plan) return failed(plan.error());
    const bool has_work = !plan->differences.empty() || !plan->scripts.empty();
    if ((arguments_.apply || arguments_.remove) && has_work && plan->problems.empty()) {
      const auto applied = run_.apply(*plan, time_stamp());
      if (!applied) return failed(applied.error());
      for (const std::string& line : applied->lines) console_.line(line);
      tell(plan->notes);
      plan = look();
      if (!plan) return failed(plan.error());
      return result(*plan, /*with_notes=*/false);
    }
    if (!arguments_.apply && !arguments_.check && !arguments_.remove) {
      print_wanted(*plan, console_);
      tell(plan->problems);
      tell_notes(*plan);
      if (plan->is_right()) console_.line("# " + arguments_.peer + ": nothing to do");
      return EX_OK;
    }
    return result(*plan, /*with_notes=*/true);
  }

 private:
  Result<setup::Plan> look() { return arguments_.remove ? run_.look_for_removal() : run_.look(); }

  int result(const setup::Plan& plan, bool with_notes) {
    print_differences(arguments_.peer, plan, console_);
    for (const std::string& problem : plan.problems) console_.error(arguments_.peer, problem);
    if (with_notes) tell_notes(plan);
    if (plan.is_right())
      console_.line(arguments_.peer + (arguments_.remove ? ": without this filter" : ": right"));
    return plan.is_right() ? EX_OK : EX_CONFIG;
  }

  void tell(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) console_.line("# " + terminal_safe(line));
  }

  /// Of a plan that is not applied.
  void tell_notes(const setup::Plan& plan) {
    tell(plan.notes);
    if (plan.scripts.empty()) return;
    tell(
        {"the scripts are not compiled, so Dovecot does that at each move, and complains that "
         "users may not keep the result; --apply compiles them"});
  }

  int failed(const Error& error) {
    console_.error(arguments_.peer, error.message);
    return error.code == ErrorCode::kInvalid ? EX_CONFIG : exit_code(error.code);
  }

  const SetupArguments& arguments_;
  setup::SetupRun& run_;
  Console& console_;
};

/// What somebody at a terminal answers; empty: nothing that counts.
std::string ask_residents(Console& console) {
  if (::isatty(STDIN_FILENO) != 1) return "";
  console.line(
      "Is everybody who can report a user of this site? yes: all; no, strangers can: earned");
  std::string answer;
  std::getline(std::cin, answer);
  const std::string_view word = setup::trimmed(answer);
  if (word == "yes" || word == "y" || word == "all") return "all";
  return word == "no" || word == "n" || word == "earned" ? "earned" : "";
}

/// A file that a person asked to change must stay one that the daemon takes.
int check_change(const SetupArguments& arguments, int code, Console& console) {
  if (code != EX_OK || arguments.peer != "reports" || !arguments.apply) return code;
  return arguments.settings.load(console) == nullptr ? EX_CONFIG : EX_OK;
}

int run_setup(const SetupArguments& arguments, Console& console) {
  if (arguments.print + arguments.check + arguments.apply + arguments.remove > 1) {
    console.error("setup", "give one of --print, --check, --apply and --remove");
    return EX_USAGE;
  }
  if (arguments.no_junk_rule && arguments.peer != "dovecot") {
    console.error("setup", "--no-junk-rule is for dovecot");
    return EX_USAGE;
  }
  if (!arguments.residents.empty() && arguments.peer != "reports") {
    console.error("setup", "--residents is for reports");
    return EX_USAGE;
  }
  const auto settings = arguments.settings.load(console);
  if (settings == nullptr) return EX_CONFIG;
  const auto machine = setup::this_machine();
  setup::OwnFacts own = own_facts(*settings, arguments);
  if (arguments.peer == "reports" && arguments.apply && own.residents.empty()) {
    const auto text = machine->read(own.settings_file);
    if (text && !setup::written_residents(*text)) own.residents = ask_residents(console);
  }
  setup::SetupRun run(peer_of(arguments.peer), arguments.folder, std::move(own), *machine);
  return check_change(arguments, SetupCommand(arguments, run, console).run(), console);
}

}  // namespace

void add_setup_command(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "setup",
      "Say, check or make the settings by which a mail program works with this filter, or whose "
      "reports count");
  const auto arguments = std::make_shared<SetupArguments>();
  arguments->settings.add_to(*command);
  command->add_option("program", arguments->peer, "The program")
      ->type_name("PROGRAM")
      ->required()
      ->check(CLI::IsMember({"postfix", "sendmail", "dovecot", "rspamd", "reports"}));
  command->add_flag("--print", arguments->print,
                    "Print what is to be configured (without an option, too)");
  command->add_flag("--check", arguments->check, "Print each difference; exits 78 if there is one");
  command->add_flag("--apply", arguments->apply, "Make the changes, and keep a copy of each file");
  command->add_flag("--remove", arguments->remove,
                    "Take out again what --apply put in, and keep a copy of each file");
  command
      ->add_option("--config-dir", arguments->folder,
                   "Folder with the configuration of that program (such as /etc/postfix)")
      ->type_name("DIR");
  command
      ->add_option("--share-dir", arguments->share,
                   "Folder with the scripts for Dovecot (/usr/share/shingled/dovecot)")
      ->type_name("DIR");
  command
      ->add_option("--compiled-dir", arguments->compiled,
                   "Folder for their compiled form (/var/cache/shingled/dovecot)")
      ->type_name("DIR");
  command->add_flag("--no-junk-rule", arguments->no_junk_rule,
                    "Leave out the rule by which Dovecot delivers marked mail to Junk");
  command
      ->add_option(
          "--residents", arguments->residents,
          "For reports: everybody who can report is a user (all), or strangers can (earned)")
      ->type_name("all|earned")
      ->check(CLI::IsMember({"all", "earned"}));
  command->footer(
      R"(It looks at what postconf and doveconf say, at sendmail.mc, or at rspamd's local.d/fuzzy_check.conf. Other milters,
plugins and rules stay. Only --apply and --remove change something. They keep a copy, such as main.cf.shingled-20261123221000, and
a second call does nothing. Postfix is then reloaded; of the other programs it says what to do.
With reports it asks whose reports count as those of people (reports.residents) and writes the answer into the file of
settings: on a terminal, or as --residents says. Comments stay.
A problem that a person has to decide, such as a socket outside of the chroot of Postfix, is printed, and nothing is
changed.

Example:
  shingled setup postfix
  shingled setup postfix --apply
  shingled setup dovecot --check
  shingled setup reports --residents all --apply
  shingled setup postfix --remove          # before the package is removed)");
  when_asked(*command, chosen, arguments, run_setup);
}

}  // namespace shingled::milter::cli
