#include <CLI/CLI.hpp>
#include <memory>

#include "milter/cli/access/printing.h"
#include "milter/cli/commands/commands.h"
#include "milter/cli/history/history_commands.h"
#include "milter/cli/history/span_arguments.h"

namespace shingled::milter::cli {

void add_history_command(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("history", "Why messages got their verdicts");
  command->footer(
      R"(Lists messages, the newest first: time (UTC), queue id, action, score, what a person said of it, evidence.
Reads history.file, also while the daemon writes it; with --server the history of that daemon (role read). TIME is a time ago such as 7d, or a moment such as 2026-11-23 or
2026-11-23T22:10. Names are there as far as history.names says: parts of addresses are found with envelope, subjects
with subject. A message can be reported by its queue id for history.act_for: shingled report --message.

Example:
  shingled history --since 1d --action reject
  shingled history --from a@example.org --label ham
  shingled history --server https://mx1.example.org --key-file mx1.key
  shingled history show 4XyzQ1)");
  const auto settings = std::make_shared<SettingsArguments>();
  settings->add_with_daemon_to(*command);
  const auto arguments = std::make_shared<HistoryArguments>();
  arguments->settings = settings;
  add_span_options(arguments->span, *command, "the first");
  command
      ->add_option("--from", arguments->from,
                   "Only of this envelope sender, or of addresses with this part; <> = bounces")
      ->type_name("ADDRESS");
  command->add_option("--recipient", arguments->recipient, "Only to addresses with this part")
      ->type_name("ADDRESS");
  command->add_option("--subject", arguments->subject, "Only with this part in the subject")
      ->type_name("TEXT");
  command
      ->add_option("--digest", arguments->digest,
                   "Only with a hash that begins so, while it can be reported")
      ->type_name("HEX");
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
  show->add_option("queue_id", shown->queue_id,
                   "As in the log of the mail server, or the id of --json")
      ->type_name("QUEUE-ID")
      ->required();
  show->add_flag("--json", shown->json, "One JSON object per line and message");
  when_asked(*show, chosen, shown, run_history_show);
  command->callback([command, arguments, &chosen] {
    if (!command->get_subcommands().empty()) return;
    chosen = [arguments](Console& console) { return run_history(*arguments, console); };
  });
}

}  // namespace shingled::milter::cli
