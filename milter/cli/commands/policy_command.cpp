#include <CLI/CLI.hpp>
#include <memory>

#include "milter/cli/access/printing.h"
#include "milter/cli/commands/commands.h"
#include "milter/cli/history/span_arguments.h"
#include "milter/cli/policy/policy_commands.h"

namespace shingled::milter::cli {

namespace {

void describe_check(CLI::App& verb, PolicyCheckArguments& arguments) {
  verb.add_option("files", arguments.files, "Files of rules; without one the rules in force")
      ->type_name("FILE");
  verb.add_flag("--json", arguments.json, "One JSON object per line and problem");
  verb.footer(
      R"(Problems are FILE:LINE:COLUMN: rule NAME: what is wrong. Each rule is checked against the rest of the configuration:
its symbols, and whether messages are counted. Exits 0 without an error, 78 with one.

Example:
  shingled policy check /etc/shingled/policy.yaml)");
}

void describe_test(CLI::App& verb, PolicyTestArguments& arguments) {
  verb.add_option("cases", arguments.cases, "File with messages and what rules should say of them")
      ->type_name("CASES.yaml")
      ->required();
  verb.add_option("--rules", arguments.rules,
                  "Files of rules to test; without one the rules in force. May be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  verb.add_flag("--json", arguments.json, "One JSON object per line and case");
  verb.footer(
      R"(A case names what is known of a message, or a file with the message, and the rules that must fire and must not:
  cases:
    - name: a sender of spam
      features: {local: no, bytes: 12K}
      counters: {from.mass in 14d: 188, from.spam in 14d: 187, link_domain.mass in 1d: [3, 900], user.mass usual: 240}
      symbols: [FUZZY_PROB]
      expect: [SENDER_SPAMMY]
      expect_not: [LINK_RESCUED]
      score: 1.5
      action: pass
    - message: mail/receipt.eml
      features: {local: yes}
      expect: []
      expect_not: [LINK_COMPLAINED]
Names of messages begin at the folder of CASES.yaml. A message gives its own features; those that the case names stay.
Nobody is asked about it, so counters, symbols, envelope and hour are those of the case. A list has one number for each piece, such as each link. Other features and counters are unknown; other measures and
windows of a counter are 0; other symbols were not found. `usual` is the number of each of the last 14 days. `score` is that
of the rules that fire, `action` follows from it, other_score and milter.actions. Exits 0 if all cases are as they
should be, 65 if not.

Example:
  shingled policy test cases.yaml --rules policy.yaml)");
}

void describe_try(CLI::App& verb, PolicyTryArguments& arguments) {
  verb.add_option("rules", arguments.rules,
                  "Files of rules; without one those of the configuration")
      ->type_name("FILE");
  add_span_options(arguments.span, verb, "7d");
  verb.add_flag("--live", arguments.live, "As if no rule were in shadow");
  verb.add_flag("--json", arguments.json, "One JSON object");
  verb.footer(
      R"(The rules take the place of those that were in force; nothing is changed. Features and counters are those of then.
Thresholds and history are those of the configuration: -c tries another one on the history that it names.
A message is spam or ham by what a person said of it, else by its verdict. S/O is the share of spam among the hits as if
there were as much spam as ham: 1 = only spam. A rule with a window that is not in history.windows is unknown.

Example:
  shingled policy try new.yaml --since 7d
  shingled policy try --config other.yaml)");
}

void describe_status(CLI::App& verb, PolicyStatusArguments& arguments) {
  arguments.settings->add_daemon_to(verb);
  verb.add_flag("--json", arguments.json, "One JSON object");
  verb.footer(
      R"(The daemon judges the rules in shadow once a day, on what people said of the messages of the history. Messages are
those that a rule alone would have marked; friends are two who write to each other; the share is what nobody reported
of all mail that nobody reported. With policy.promote: ask a good rule is proposed; this command says how to accept it.
With auto it goes live, and back when its figures turn. Says what is in the files beside the history: judgements, and
decisions of people (the API, the page). With --server it asks that daemon (role read).

Example:
  shingled policy status
  shingled policy status --json | jq '.rules[] | select(.state == "proposed")')");
}

}  // namespace

void add_features_command(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("features", "List what conditions of rules can ask");
  command->footer(
      R"(A counter is written with a measure and a window: link_domain.complaint >= 9 in 1d. Windows are multiples of 10m up to
24h, and 1d to 14d.

Example:
  shingled features
  shingled features --json | jq -r .name)");
  const auto arguments = std::make_shared<FeaturesArguments>();
  arguments->settings.add_to(*command);
  command->add_flag("--model", arguments->model, "List the columns of the model instead");
  command->add_flag("--json", arguments->json, "One JSON object per line and feature");
  when_asked(*command, chosen, arguments, run_features);
}

void add_policy_command(CLI::App& app, Command& chosen) {
  CLI::App* policy =
      app.add_subcommand("policy", "Check, test and try rules, and see which are proposed");
  policy->footer(
      R"(Example:
  shingled policy check policy.yaml
  shingled policy test cases.yaml
  shingled policy try new.yaml --since 7d
  shingled policy status)");
  policy->require_subcommand(1);
  const auto settings = std::make_shared<SettingsArguments>();
  settings->add_to(*policy);
  add_verb(*policy, chosen, "check", "Check files of rules, or the rules in force",
           run_policy_check, describe_check, settings);
  add_verb(*policy, chosen, "test", "Compare what rules say of messages with what they should say",
           run_policy_test, describe_test, settings);
  add_verb(*policy, chosen, "try", "Try rules on the mail of the last days", run_policy_try,
           describe_try, settings);
  add_verb(*policy, chosen, "status",
           "Show which rules are live, in shadow, or proposed by the history", run_policy_status,
           describe_status, settings);
}

}  // namespace shingled::milter::cli
