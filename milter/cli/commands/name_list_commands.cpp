#include <CLI/CLI.hpp>
#include <memory>

#include "milter/cli/access/message_option.h"
#include "milter/cli/commands/commands.h"
#include "milter/cli/names/list_commands.h"

namespace shingled::milter::cli {

namespace {

using NameListKind = names::ListForm::Kind;
using NameListArguments = std::shared_ptr<ListArgumentsOfNames>;

NameListArguments name_list_arguments(CLI::App& command, NameListKind kind) {
  auto arguments = std::make_shared<ListArgumentsOfNames>();
  arguments->kind = kind;
  arguments->settings.add_to(command);
  return arguments;
}

void add_entry_commands(CLI::App& parent, NameListKind kind, Command& chosen) {
  CLI::App* add = parent.add_subcommand("add", "Add an entry; the daemon takes it in by itself");
  const NameListArguments adding = name_list_arguments(*add, kind);
  adding->entry.add_to(*add, kind);
  add->add_option("--reason", adding->reason, "Why; kept with the date beside the entry")
      ->type_name("TEXT");
  when_asked(*add, chosen, adding, run_list_add);
  CLI::App* del = parent.add_subcommand("del", "Take an entry away");
  const NameListArguments deleting = name_list_arguments(*del, kind);
  deleting->entry.add_to(*del, kind);
  when_asked(*del, chosen, deleting, run_list_del);
}

void add_reading_commands(CLI::App& parent, NameListKind kind, Command& chosen) {
  CLI::App* list = parent.add_subcommand("list", "Show the entries, and lines that are wrong");
  const NameListArguments listing = name_list_arguments(*list, kind);
  list->add_flag("--json", listing->json, "One JSON object per line and entry");
  when_asked(*list, chosen, listing, run_list_show);
  CLI::App* check = parent.add_subcommand(
      "check", "Say which entry messages meet, or what is missing; exits 1 if none does");
  const NameListArguments checking = name_list_arguments(*check, kind);
  add_message_option(checking->messages.names, *check);
  checking->envelope.add_to(*check);
  check->add_flag("--json", checking->json, "One JSON object per line and message");
  when_asked(*check, chosen, checking, run_list_check);
}

}  // namespace

void add_name_list_commands(CLI::App& app, Command& chosen) {
  CLI::App* allow = app.add_subcommand(
      "allow", "Let mail of a sender, list or client pass, whatever its score is");
  allow->require_subcommand(1);
  allow->footer(
      R"(From, its domain, a list and a DKIM domain count only when they are proved: a server in counters.authserv_ids
says so in Authentication-Results, or the sender has logged in. Mail to an allowed recipient is never refused; it
is marked as its score says: for abuse@, postmaster@ and spam traps. Limits of the amount of mail hold all the same.
The list is policy.allow_file.
Each takes -c FILE and -o KEY=VALUE.

Example:
  shingled allow add --from news@shop.example --reason "newsletter, asked for"
  shingled allow add --recipient abuse@ --reason "people forward spam to it"
  shingled allow check message.eml)");
  add_entry_commands(*allow, NameListKind::kAllow, chosen);
  add_reading_commands(*allow, NameListKind::kAllow, chosen);
  CLI::App* block = app.add_subcommand("block", "Refuse mail of a sender, list or client");
  block->require_subcommand(1);
  block->footer(
      R"(What happens to it says policy.block_action: by default the sender is told that it is rejected. From and List-Id
count as they are written, proved or not. Mail that is allowed (shingled allow) is not blocked. To refuse a
recipient use your mail server. The list is policy.block_file.
Each takes -c FILE and -o KEY=VALUE.

Example:
  shingled block add --domain casino.example --reason "never asked for"
  shingled block list)");
  add_entry_commands(*block, NameListKind::kBlock, chosen);
  add_reading_commands(*block, NameListKind::kBlock, chosen);
}

}  // namespace shingled::milter::cli
