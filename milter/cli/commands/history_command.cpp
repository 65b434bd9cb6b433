#include <CLI/CLI.hpp>
#include <memory>

#include "milter/cli/commands/commands.h"
#include "milter/cli/history/history_commands.h"

namespace shingled::milter::cli {

namespace {

void add_span(CLI::App& command, HistorySpanArguments& span, const char* since) {
  command.add_option("--since", span.since, since)->type_name("TIME");
  command.add_option("--until", span.until, "Only messages before: 1d ago, or a moment (now)")
      ->type_name("TIME");
}

}  // namespace

void add_history_command(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("history", "Why messages got their verdicts");
  command->footer(
      R"(Lists messages, the newest first: time (UTC), queue id, action, score, what a person said of it, evidence.
Reads history.file, also while the daemon writes it. TIME is a time ago such as 7d, or a moment such as 2026-11-23 or
2026-11-23T22:10.

Example:
  shingled history --since 1d --action reject
  shingled history --from a@example.org --label ham
  shingled history show 4XyzQ1)");
  const auto settings = std::make_shared<SettingsArguments>();
  settings->add_to(*command);
  const auto arguments = std::make_shared<HistoryArguments>();
  arguments->settings = settings;
  add_span(*command, arguments->span, "Only messages since: 7d ago, or a moment (the first)");
  command->add_option("--from", arguments->from, "Only of this envelope sender; <> = bounces")
      ->type_name("ADDRESS");
  command->add_option("--symbol", arguments->symbol, "Only with this evidence")->type_name("NAME");
  command->add_option("--action", arguments->action, "Only with this verdict")
      ->type_name("ACTION")
      ->check(CLI::IsMember({"pass", "add_header", "tempfail", "quarantine", "reject", "discard"}));
  command->add_option("--label", arguments->label, "Only what people said was that")
      ->type_name("spam|ham|none")
      ->check(CLI::IsMember({"spam", "ham", "none"}));
  command->add_option("--limit", arguments->limit, "At most this many (100)")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000'000}));
  command->add_flag("--json", arguments->json, "One JSON object per line and message");
  CLI::App* show = command->add_subcommand("show", "Everything that is known of one message");
  show->fallthrough();
  show->footer(
      R"(Features, counters and evidence as they were when the message was judged. Pieces have no text: only their hashes
are in the history.

Example:
  shingled history show 4XyzQ1)");
  const auto shown = std::make_shared<HistoryShowArguments>();
  shown->settings = settings;
  show->add_option("queue_id", shown->queue_id, "As in the log of the mail server")
      ->type_name("QUEUE-ID")
      ->required();
  show->add_flag("--json", shown->json, "One JSON object per line and message");
  show->callback([shown, &chosen] {
    chosen = [shown](Console& console) { return run_history_show(*shown, console); };
  });
  command->callback([command, arguments, &chosen] {
    if (!command->get_subcommands().empty()) return;
    chosen = [arguments](Console& console) { return run_history(*arguments, console); };
  });
}

void add_policy_try_command(CLI::App& policy, Command& chosen) {
  CLI::App* command = policy.add_subcommand("try", "Try rules on the mail of the last days");
  command->footer(
      R"(The rules take the place of those that were in force; nothing is changed. Features and counters are those of then.
A message is spam or ham by what a person said of it, else by its verdict. S/O is the share of spam among the hits as if
there were as much spam as ham: 1 = only spam. A rule with a window that is not in history.windows is unknown.

Example:
  shingled policy try new.yaml --since 7d
  shingled policy try --config /etc/shingled/other.yaml)");
  const auto settings = std::make_shared<SettingsArguments>();
  command
      ->add_option("-o,--option", settings->overrides,
                   "One setting as section.key=value; the value is YAML")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("-c", settings->file, "Configuration file, for the history and thresholds")
      ->type_name("FILE");
  const auto arguments = std::make_shared<PolicyTryArguments>();
  arguments->settings = settings;
  command
      ->add_option("rules", arguments->rules,
                   "File of rules; without one those of the configuration")
      ->type_name("NEW.yaml");
  command
      ->add_option("--config", arguments->config,
                   "Another configuration, whose rules and thresholds are tried")
      ->type_name("FILE");
  command->add_flag("--live", arguments->live, "As if no rule were in shadow");
  add_span(*command, arguments->span, "Only messages since: 7d ago, or a moment (7d)");
  command->add_flag("--json", arguments->json, "One JSON object");
  command->callback([arguments, &chosen] {
    chosen = [arguments](Console& console) { return run_policy_try(*arguments, console); };
  });
}

}  // namespace shingled::milter::cli
