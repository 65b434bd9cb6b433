#include <CLI/CLI.hpp>
#include <memory>

#include "milter/cli/access/message_option.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/commands/commands.h"
#include "milter/cli/counters/counter_commands.h"

namespace shingled::milter::cli {

namespace {

using storage::counters::Measure;

void add_direction(CLI::App& verb, std::string& direction, const char* help) {
  verb.add_option("--space", direction, help)
      ->type_name("in|out")
      ->check(CLI::IsMember({"in", "out"}));
}

/// TYPE PIECE... or messages.
void add_choice(CLI::App& verb, PieceArguments& arguments) {
  verb.add_option("words", arguments.words.words,
                  "A type and its piece (two pieces for a pair), or messages")
      ->type_name("TYPE PIECE|FILE|DIR|MBOX|-");
  verb.add_flag("--exact", arguments.words.exact, "Take PIECE as it is, without its normal form");
  arguments.envelope.add_to(verb);
}

void describe_pieces(CLI::App& verb, PiecesArguments& arguments) {
  verb.footer(
      R"(A file does not have the envelope of its message. The options give what the mail server would know.

Example:
  shingled counters pieces --sender a@example.org --client 192.0.2.1 message.eml)");
  add_message_option(arguments.messages.names, verb);
  verb.add_flag("--json", arguments.json, "One JSON object per line and message");
  arguments.envelope.add_to(verb);
}

void describe_show(CLI::App& verb, ShowArguments& arguments) {
  add_choice(verb, arguments);
  verb.add_option("--shingle", arguments.words.shingle,
                  "The counter of TYPE with this shingle, as in exports and in top")
      ->type_name("HEX");
  add_direction(verb, arguments.direction, "Only mail that came in, or went out (both)");
  verb.add_flag("--names", arguments.names, "Print each number that is not 0 with its name");
  verb.add_flag("--json", arguments.json, "One JSON object per line and counter, or message");
  verb.footer(
      R"(Windows end now: 10m, 1h and 24h are whole periods of ten minutes, 1d and 14d are days of the calendar, UTC.
TYPE is a name or number as pieces prints it. PIECE is changed to the form that is counted; a note says so.

Example:
  shingled counters show link_host www.example.org
  shingled counters show sender_recipient a@example.org b@example.net
  shingled counters show --recipient b@example.net message.eml)");
}

void describe_top(CLI::App& verb, TopArguments& arguments) {
  verb.add_option("--type", arguments.type, "Only counters of this type")->type_name("TYPE");
  add_direction(verb, arguments.direction, "Only mail that came in, or went out (both)");
  verb.add_option("--measure", arguments.measure, "What is compared (mass)")
      ->type_name("MEASURE")
      ->check(CLI::IsMember(
          {"mass", "recipients", "bytes", "spam", "ham", "complaint", "rescue", "failed"}));
  verb.add_option("--window", arguments.window, "In which time: 10m to 24h, 1d to 14d (1d)")
      ->type_name("WINDOW");
  verb.add_flag("--rising", arguments.rising,
                "Those that grew most since the window before: before → now");
  verb.add_option("--limit", arguments.limit, "At most this many (20)")
      ->type_name("N")
      ->check(CLI::Range(1U, 1000U));
  verb.add_flag("--json", arguments.json, "One JSON object per line and counter");
  verb.footer(
      R"(Reads all counters. The text of a piece is known only with counters.names: yes; otherwise its shingle is shown.

Example:
  shingled counters top --type link_domain --measure spam --window 1h --rising)");
}

void describe_counter_add(CLI::App& verb, CounterAddArguments& arguments) {
  add_choice(verb, arguments);
  add_direction(verb, arguments.direction, "Mail that came in (the default), or went out");
  for (std::size_t i = 0; i < storage::counters::kMeasures; ++i) {
    const std::string name(to_string(static_cast<Measure>(i)));
    verb.add_option("--" + name, arguments.amounts.counts[i], "Amount to add to " + name)
        ->type_name("N")
        ->check(CLI::Range(std::uint64_t{0}, storage::counters::kCountMax));
  }
  verb.add_flag("--json", arguments.json, "One JSON object per line and message");
  verb.footer(
      R"(Adds to the running ten minutes. Of a message each piece gets the amounts.

Example:
  shingled counters add --mass 1 --spam 1 link_host www.example.org
  shingled counters add --complaint 1 message.eml)");
}

void describe_forget(CLI::App& verb, ForgetArguments& arguments) {
  add_choice(verb, arguments);
  verb.add_option("--shingle", arguments.words.shingle, "The counter of TYPE with this shingle")
      ->type_name("HEX");
  add_direction(verb, arguments.direction, "Only mail that came in, or went out (both)");
  verb.add_flag("--dry-run", arguments.dry_run, "Only print what would be forgotten");
  verb.add_flag("--json", arguments.json, "One JSON object per line and message");
  verb.footer(
      R"(Removes all counts up to now; later mail counts again. Of a message all pieces are forgotten, also
its recipients and networks: look at them with --dry-run first.

Example:
  shingled counters forget link_host www.example.org)");
}

void describe_export(CLI::App& verb, CounterExportArguments& arguments) {
  verb.add_option("file", arguments.file, "File to write (-)")->type_name("FILE|-");
  verb.add_flag("-f,--force", arguments.force, "Replace FILE if it exists");
  verb.add_flag("--json", arguments.json, "One JSON object about the file that was written");
  verb.footer(
      R"(JSON Lines, one for each number: {"name": "mass_in_5791f8cac2b7d8dd_14_10m_2831519", "count": 12}. All lines of a
counter follow each other. The number of a day (1d) is its total, with that of its ten minutes (10m).
A file appears only when it is complete. To compress it, write to a pipe.

Example:
  shingled counters export counters.jsonl
  shingled counters export - | gzip > counters.jsonl.gz)");
}

void describe_import(CLI::App& verb, CounterImportArguments& arguments) {
  verb.add_option("file", arguments.file, "JSON Lines of an export (-)")->type_name("FILE|-");
  verb.add_option("--from-line", arguments.from_line, "Go on at this line (1)")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  verb.add_flag("--json", arguments.json, "One JSON object");
  verb.footer(
      R"(Adds the numbers to those that are there: a file that is imported twice counts twice. It goes counter by counter; an
import that was interrupted says with which --from-line to go on. A line that cannot be read is reported and left
out; the exit code is then 65. Shingles mean something only to stores with the same key (counters.key_file).

Example:
  shingled counters import counters.jsonl
  zcat counters.jsonl.gz | shingled counters import -)");
}

void describe_learn(CLI::App& verb, LearnArguments& arguments) {
  verb.add_option("--spam", arguments.spam, "Messages that are spam; may be repeated")
      ->type_name("FILE|DIR|MBOX|-")
      ->allow_extra_args(false);
  verb.add_option("--ham", arguments.ham, "Messages that are not spam; may be repeated")
      ->type_name("FILE|DIR|MBOX|-")
      ->allow_extra_args(false);
  verb.add_option("--since", arguments.since, "Only messages that are not older (14d)")
      ->type_name("TIME");
  add_direction(verb, arguments.direction,
                "Count them as mail that came in (the default), or went out");
  verb.add_flag("--dry-run", arguments.dry_run, "Only read them and count");
  verb.add_flag("--json", arguments.json, "One JSON object");
  verb.footer(
      R"(Counts old messages as if the milter had seen them, so that a new site does not begin at zero. Each counts at the
time in its topmost Received field, which our own server wrote, else at that in Date. Sender and recipient come from
Return-Path, X-Original-To, Envelope-To and Delivered-To, the client from Received.
A message that is learnt twice counts twice.

Example:
  shingled counters learn --spam ~/Maildir/.Junk --ham ~/Maildir --since 7d)");
}

void describe_verify(CLI::App& verb, CounterVerifyArguments& arguments) {
  verb.add_flag("--repair", arguments.repair, "Set aside what is damaged, and keep the rest");
  verb.add_flag("--json", arguments.json, "One JSON object");
  verb.footer(
      R"(Reads all files of the counters. Exits 0 when all is well, 65 when something is damaged.
What is damaged makes some counters unknown in windows that reach into its time; a daemon sets it aside by itself when
it finds it. With --repair all is looked at now, and files that are gone are given up, too: what they had stays unknown,
and the rest is whole again.

Example:
  shingled counters verify
  shingled counters verify --repair)");
}

void describe_stat(CLI::App& verb, CounterArguments& arguments) {
  verb.add_flag("--json", arguments.json, "One JSON object, as /stat");
  verb.footer("Example:\n  shingled counters stat");
}

}  // namespace

void add_counters_command(CLI::App& app, Command& chosen) {
  CLI::App* counters = app.add_subcommand(
      "counters", "How often addresses, links, texts and other pieces of mail were seen");
  counters->footer(
      R"(Counters in Redis are read there. Those of the daemon are read through its status page (http.listen), or from
their folder while it is not running.

Example:
  shingled counters pieces message.eml
  shingled counters show message.eml
  shingled counters top --window 1h)");
  counters->require_subcommand(1);
  const auto choice = std::make_shared<SettingsArguments>();
  choice->add_with_daemon_to(*counters);
  add_verb(*counters, chosen, "pieces",
           "Show the pieces of messages that are counted: addresses, links, names of files",
           run_counter_pieces, describe_pieces, choice);
  add_verb(*counters, chosen, "show",
           "Show what was counted of a piece, or of each piece of a message", run_counter_show,
           describe_show, choice);
  add_verb(*counters, chosen, "top", "Show the largest counters", run_counter_top, describe_top,
           choice);
  add_verb(*counters, chosen, "add", "Add to counters", run_counter_add, describe_counter_add,
           choice);
  add_verb(*counters, chosen, "forget", "Remove counters", run_counter_forget, describe_forget,
           choice);
  add_verb(*counters, chosen, "export", "Write all counts as JSON Lines", run_counter_export,
           describe_export, choice);
  add_verb(*counters, chosen, "import", "Add the counts of an export", run_counter_import,
           describe_import, choice);
  add_verb(*counters, chosen, "learn", "Count old messages by their dates", run_counter_learn,
           describe_learn, choice);
  add_verb(*counters, chosen, "verify", "Check the files of the counters", run_counter_verify,
           describe_verify, choice);
  add_verb(*counters, chosen, "stat", "Numbers about the counters of the daemon", run_counter_stat,
           describe_stat, choice);
}

}  // namespace shingled::milter::cli
