#include <CLI/CLI.hpp>
#include <memory>

#include "milter/cli/commands/commands.h"
#include "milter/cli/reports/report_commands.h"

namespace shingled::milter::cli {

namespace {

void add_report(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "report", "Report messages as spam or as wanted mail; the junk button of a mail program");
  const auto arguments = std::make_shared<ReportArguments>();
  arguments->settings.add_to(*command);
  command->add_flag("--spam", arguments->spam, "The messages are spam");
  command->add_flag("--ham", arguments->ham, "The messages are wanted");
  command
      ->add_option("--reporter", arguments->reporter, "Who says so (the user who runs the command)")
      ->type_name("NAME");
  command
      ->add_option("--spool", arguments->spool,
                   "Keep reports in this folder while the daemon is away; the next call delivers "
                   "them")
      ->type_name("DIR");
  command->add_flag("--later", arguments->later,
                    "Only keep the reports in the folder of --spool; ask no daemon");
  command->add_flag("--unwrap", arguments->unwrap,
                    "Report the messages that are attached: forwarded ones, and those of feedback "
                    "reports (ARF)");
  command->add_option("--flush", arguments->flush, "Deliver what waits in this folder")
      ->type_name("DIR");
  command->add_flag("--json", arguments->json, "One JSON object per line and message");
  command
      ->add_option("messages", arguments->names,
                   "Files, mboxes, directories (Maildirs too) or - for standard input")
      ->type_name("FILE|DIR|MBOX|-");
  command->footer(
      R"(A report counts as a complaint, or the opposite of one, about each piece of the message: see shingled counters.
It teaches the hashes of the message as soon as enough different people agree (reports.reporters_min).
Anyone who reports a message the other way takes the earlier report back. One person counts once for a message;
a person is a mailbox, whatever the case, the +tag or the missing domain of its name (reports.domain, reports.aliases).
Exits 0 only when the reports are on the disk, of the daemon or of the spool.
--unwrap is for the mailbox to which people forward mail, and for the abuse mailbox. A feedback report of the type
not-spam says the opposite; abuse, fraud and virus are complaints. What else programs send is taken and not reported:
other feedback, bounces, receipts, reports of DMARC, automatic answers. A message of a person without an attached one
is not reported (65).

Example:
  shingled report --spam --reporter ann@example.org message.eml
  shingled report --ham --reporter "$USER" --spool /var/spool/shingled - < message.eml
  shingled report --flush /var/spool/shingled)");
  command->callback([arguments, &chosen] {
    chosen = [arguments](Console& console) { return run_report(*arguments, console); };
  });
}

void add_reporters(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("reporters", "Show who reports mail, and how far others agree");
  const auto arguments = std::make_shared<ReportersArguments>();
  arguments->settings.add_to(*command);
  command->add_option("--limit", arguments->limit, "At most this many (20)")
      ->type_name("N")
      ->check(CLI::Range(1U, 100'000U));
  command->add_flag("--json", arguments->json, "One JSON object per line and reporter");
  command->footer(
      R"(Those with most reports first. Reporters are known by a hash; trusted ones (reports.trusted_reporters) by name.
reputation = (agreed + 1) / (agreed + disagreed + 2): of the messages of a reporter, those where more others
say the same, or the opposite. A newcomer becomes established after a day, when others agreed on 3 messages.

Example:
  shingled reporters)");
  command->callback([arguments, &chosen] {
    chosen = [arguments](Console& console) { return run_reporters(*arguments, console); };
  });
}

}  // namespace

void add_report_commands(CLI::App& app, Command& chosen) {
  add_report(app, chosen);
  add_reporters(app, chosen);
}

}  // namespace shingled::milter::cli
