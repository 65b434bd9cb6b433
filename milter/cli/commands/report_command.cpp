#include <CLI/CLI.hpp>
#include <memory>

#include "milter/cli/access/message_option.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/commands/commands.h"
#include "milter/cli/reports/report_commands.h"

namespace shingled::milter::cli {

namespace {

void add_report(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand(
      "report", "Report messages as spam or as wanted mail; the junk button of a mail program");
  const auto arguments = std::make_shared<ReportArguments>();
  arguments->settings.add_with_daemon_to(*command);
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
  command
      ->add_option("--message", arguments->messages,
                   "Report the message with this queue id, of which nobody has a copy; may be "
                   "repeated")
      ->allow_extra_args(false)
      ->type_name("QUEUE-ID");
  command->add_option("--flush", arguments->flush, "Deliver what waits in this folder")
      ->type_name("DIR");
  command->add_flag("--json", arguments->json, "One JSON object per line and message");
  add_message_option(arguments->names, *command);
  command->footer(
      R"(A report counts as a complaint, or the opposite of one, about each piece of the message: see shingled counters.
It teaches the hashes of the message as soon as enough different people say so of it, or of something like it: two
mark it for everybody (reports.reporters_min), five get it rejected (reports.reject_people). The line says what it
takes. Anyone who reports a message the other way takes the earlier report back. One person counts once for a message;
a person is a mailbox, whatever the case, the +tag or the missing domain of its name (reports.domain, reports.aliases).
Exits 0 only when the reports are on the disk, of the daemon or of the spool.
--unwrap is for the mailbox to which people forward mail, and for the abuse mailbox. A feedback report of the type
not-spam says the opposite; abuse, fraud and virus are complaints. What else programs send is taken and not reported:
other feedback, bounces, receipts, reports of DMARC, automatic answers. A message of a person without an attached one
is not reported (65).
--message is for mail that was refused, or that is in somebody else's mailbox: the daemon keeps what a report needs of
each message for history.act_for, and does what it would do with the message itself. If several messages had the
queue id, they are named, and one of these names says which one is meant (65). No such message: 66.

Example:
  shingled report --spam --reporter ann@example.org message.eml
  shingled report --ham --reporter "$USER" --spool /var/spool/shingled - < message.eml
  shingled report --ham --message 4XyzQ1
  shingled report --flush /var/spool/shingled)");
  when_asked(*command, chosen, arguments, run_report);
}

void add_reporters(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("reporters", "Show who reports mail, and how far others agree");
  const auto arguments = std::make_shared<ReportersArguments>();
  arguments->settings.add_with_daemon_to(*command);
  command->add_option("--limit", arguments->limit, "At most this many (20)")
      ->type_name("N")
      ->check(CLI::Range(1U, 100'000U));
  command->add_flag("--json", arguments->json, "One JSON object per line and reporter");
  command->footer(
      R"(Those with most reports first. Reporters are known by a hash; trusted ones (reports.trusted_reporters) by name.
A resident is a mailbox that got wanted mail on 5 different days of the last 14 (reports.residents); all others are
newcomers, who count as 3 people at most and can complete a mark, but not a rejection. reputation = (agreed + 1) /
(agreed + disagreed + 2): of the messages of a reporter, those where more others say the same, or the opposite.

Example:
  shingled reporters)");
  when_asked(*command, chosen, arguments, run_reporters);
}

using CasesArgumentsShared = std::shared_ptr<CasesArguments>;

void add_case_command(CLI::App& parent, const std::string& name, const std::string& summary,
                      const std::string& ruling, Command& chosen) {
  CLI::App* command = parent.add_subcommand(name, summary);
  const CasesArgumentsShared arguments = std::make_shared<CasesArguments>();
  arguments->settings.add_with_daemon_to(*command);
  arguments->ruling = ruling;
  command->add_option("id", arguments->id, "The case: the first digits of one of its digests")
      ->type_name("ID")
      ->required();
  if (ruling.empty())
    command->add_flag("--names", arguments->names, "Name people whom reports.aliases knows");
  command->add_flag("--json", arguments->json, "One JSON object");
  when_asked(*command, chosen, arguments, run_cases);
}

void add_cases(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("cases", "Show what people report, how many they are, and what it does");
  const CasesArgumentsShared arguments = std::make_shared<CasesArguments>();
  arguments->settings.add_with_daemon_to(*command);
  command->add_option("--since", arguments->since, "Cases with a report since: 6h, 14d (14d)")
      ->type_name("TIME");
  command->add_option("--limit", arguments->limit, "At most this many (50)")
      ->type_name("N")
      ->check(CLI::Range(1U, 10'000U));
  command->add_flag("--names", arguments->names,
                    "Also who they are; by name whom reports.aliases knows");
  command->add_flag("--json", arguments->json, "One JSON object per line and case");
  command->require_subcommand(0, 1);
  command->callback([arguments, command, &chosen] {
    if (!command->get_subcommands().empty()) return;
    chosen = [arguments](Console& console) { return run_cases(*arguments, console); };
  });
  add_case_command(*command, "show", "Show the people and hashes of a case", "", chosen);
  add_case_command(*command, "close", "Let reports about it change nothing any more", "close",
                   chosen);
  add_case_command(*command, "reopen", "Let them count again", "reopen", chosen);
  command->footer(
      R"(A case is one thing that people report: messages whose texts match each other, or that have a file in common.
noted: too few people; marked, rejected: what happens to the next message of it; closed: somebody trusted says that
it is wanted, or you do, and reports change nothing until somebody trusted says spam or you reopen it.
The newest are the first; closed ones are always there. `shingled del` withdraws all reports of a message.

Example:
  shingled cases --since 2d
  shingled cases close 4be012cf)");
}

}  // namespace

void add_report_commands(CLI::App& app, Command& chosen) {
  add_report(app, chosen);
  add_reporters(app, chosen);
  add_cases(app, chosen);
}

}  // namespace shingled::milter::cli
