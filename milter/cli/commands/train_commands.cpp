#include <fmt/format.h>
#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "config/base/hex.h"
#include "milter/cli/access/message_option.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/access/server_options.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/cli/commands/commands.h"
#include "milter/cli/training/training_output.h"
#include "milter/desk/daemon_choice.h"
#include "milter/desk/report_client.h"
#include "milter/desk/servers/storage_choice.h"
#include "milter/training/list_eraser.h"
#include "milter/training/retraction.h"
#include "milter/training/trainer.h"

namespace shingled::milter::cli {

namespace {

enum class Training : std::uint8_t { kAdd, kDelete };

struct TrainArguments {
  SettingsArguments settings;
  desk::ServerArguments server;
  MessageArguments messages;
  std::string flag;
  std::int32_t weight = 1;
  std::vector<std::string> digests;
  std::string whole_list;
  bool dry_run = false;
  bool force = false;
  bool all_lists = false;
  bool matching = false;
  bool json = false;
};

struct NamedList {
  std::uint32_t flag = 0;
  std::string name;  ///< for people: "denied (11)"
};

/// The list that `wanted` names by number or name.
Result<NamedList> find_list(const std::string& wanted, const FlagMap& flags) {
  const auto number = flags.number(wanted);
  if (!number) {
    std::string known;
    for (const FlagOptions& flag : flags.all())
      known += fmt::format(", {} ({})", flag.name, flag.flag);
    return Error{ErrorCode::kInvalid,
                 fmt::format("--flag {}: no such list; give 1 to 255{}", wanted, known)};
  }
  const FlagOptions* named = flags.find(*number);
  return NamedList{*number, named != nullptr ? fmt::format("{} ({})", named->name, *number)
                                             : fmt::format("list {}", *number)};
}

/// For `add`: the list that --flag names, by default the rule's first one.
Result<training::TrainingRequest> request_of(const TrainArguments& arguments,
                                             const FlagMap& flags) {
  std::string wanted = arguments.flag;
  if (wanted.empty() && !flags.all().empty()) wanted = flags.all().front().name;
  const auto list = find_list(wanted, flags);
  if (!list) return list.error();
  return training::TrainingRequest{list->flag, arguments.weight, list->name, arguments.force};
}

/// For `del`: the list of --flag, if given and not overruled by --all-lists.
Result<training::RetractionScope> scope_of(const TrainArguments& arguments, const FlagMap& flags) {
  training::RetractionScope scope;
  scope.matching = arguments.matching;
  if (arguments.flag.empty()) return scope;
  const auto list = find_list(arguments.flag, flags);
  if (!list) return list.error();
  if (arguments.all_lists) return scope;
  scope.flag = list->flag;
  scope.list = list->name;
  return scope;
}

Result<Fingerprint> parse_digest(const std::string& text) {
  const auto bytes = from_hex(text);
  if (!bytes || bytes->size() != kDigestBytes) {
    return Error{ErrorCode::kInvalid, "--digest " + text + ": must be 128 hexadecimal digits"};
  }
  Fingerprint hash;
  std::copy(bytes->begin(), bytes->end(), hash.digest.bytes.begin());
  return hash;
}

/// `del --list`: everything on a list of the local daemon.
int run_erase(const TrainArguments& arguments, const Settings& settings,
              const desk::Destination& destination, Console& console) {
  const auto flag = destination.rule->flags.number(arguments.whole_list);
  if (!flag) {
    console.error("del", "--list " + arguments.whole_list +
                             ": no such list; give 1 to 255 or a name of the rule");
    return EX_USAGE;
  }
  if (!destination.local) {
    console.error(
        "del", "--list reads the file of the local daemon; it cannot be used with another server");
    return EX_USAGE;
  }
  const auto file = desk::database_file(settings.storage, "shingled export, then del --digest");
  if (!file) {
    console.error("del", "--list: " + file.error().message);
    return EX_USAGE;
  }
  SystemClock clock;
  SystemRandom random;
  ProgressMeter meter(console, clock);
  training::ListEraser eraser(*file, *flag, clock, meter.watcher());
  const auto found = eraser.count();
  if (!found) return meter.failed("del", found.error());
  training::ListEraser::Counts counts = *found;
  if (!arguments.dry_run) {
    const auto store = storage::client::RemoteStore::open(destination.remote, clock, random);
    if (!store) return meter.failed("del", store.error());
    const auto done = eraser.erase(**store, destination.remote, *found);
    if (!done) return meter.failed("del", done.error());
    counts = *done;
  }
  if (arguments.json) {
    console.json({{"flag", *flag},
                  {"dry_run", arguments.dry_run},
                  {"deleted", counts.only_here},
                  {"taken_off", counts.others_too}});
    return EX_OK;
  }
  console.line(fmt::format("list {}: {}{} deleted, {} removed from this list only", *flag,
                           arguments.dry_run ? "would be: " : "",
                           counted(counts.only_here, "hash", "hashes"), counts.others_too));
  return EX_OK;
}

int say_failure(const std::string& name, const Error& error, int code, Console& console) {
  console.error(name, error.message);
  return code;
}

int for_each_message_of(const TrainArguments& arguments, const Settings& settings, Console& console,
                        const std::function<int(const input::SourceMessage&)>& work) {
  return for_each_message(arguments.messages,
                          {.message_bytes_max = settings.milter.message_bytes_max}, console, work);
}

int run_add(const TrainArguments& arguments, const Settings& settings,
            const desk::Destination& destination, Console& console) {
  const auto request = request_of(arguments, destination.rule->flags);
  if (!request) return say_failure("add", request.error(), EX_USAGE, console);
  SystemClock clock;
  SystemRandom random;
  const auto store = storage::client::RemoteStore::open(destination.remote, clock, random);
  if (!store) return say_failure("add", store.error(), service_exit_code(store.error()), console);
  AdditionOutput output(destination, *request, settings.milter.actions, arguments.json, console);
  training::Trainer trainer(destination, settings, *request, **store, clock,
                            [&](const training::TaughtMessage& message) { output.tell(message); });
  const int worst =
      for_each_message_of(arguments, settings, console, [&](const input::SourceMessage& message) {
        trainer.take(message);
        return output.take_code();
      });
  trainer.finish();
  output.finish();
  return worse_exit_code(worst, output.take_code());
}

int run_del(const TrainArguments& arguments, const Settings& settings,
            const desk::Destination& destination, Console& console) {
  if (!arguments.whole_list.empty()) return run_erase(arguments, settings, destination, console);
  if (arguments.dry_run) {
    return say_failure("del", {ErrorCode::kInvalid, "--dry-run: only with --list"}, EX_USAGE,
                       console);
  }
  const auto scope = scope_of(arguments, destination.rule->flags);
  if (!scope) return say_failure("del", scope.error(), EX_USAGE, console);
  std::vector<Fingerprint> hashes;
  for (const std::string& text : arguments.digests) {
    const auto hash = parse_digest(text);
    if (!hash) return say_failure("del", hash.error(), EX_USAGE, console);
    hashes.push_back(*hash);
  }
  SystemClock clock;
  SystemRandom random;
  RetractionOutput output(destination, *scope, arguments.json, console);
  const auto retraction = training::Retraction::open(
      destination, settings, *scope, clock, random,
      [&](const training::RetractedMessage& message) { output.tell(message); });
  if (!retraction) {
    return say_failure("del", retraction.error(), service_exit_code(retraction.error()), console);
  }
  const desk::ReportClient reports(desk::daemon_of(settings, clock));
  const bool withdraws =
      destination.local && settings.reports.enabled && !settings.http.listen.empty();
  if (withdraws) {
    (*retraction)->set_withdraw([&](std::span<const Digest> digests, std::uint32_t flag) {
      return reports.withdraw(digests, flag);
    });
  }
  output.begin((*retraction)->server_count(), withdraws);
  for (std::size_t i = 0; i < hashes.size(); ++i)
    (*retraction)->take(arguments.digests[i], {hashes[i]});
  int worst = output.take_code();
  if (arguments.digests.empty() || !arguments.messages.names.empty()) {
    const int code =
        for_each_message_of(arguments, settings, console, [&](const input::SourceMessage& message) {
          (*retraction)->take(message);
          return output.take_code();
        });
    worst = worse_exit_code(worst, code);
  }
  (*retraction)->finish();
  output.finish();
  return worse_exit_code(worst, output.take_code());
}

int run_train(const TrainArguments& arguments, Training kind, const std::string& name,
              Console& console) {
  const auto settings = arguments.settings.load(console);
  if (!settings) return EX_CONFIG;
  const auto destination = desk::choose_destination(arguments.server, *settings);
  if (!destination)
    return say_failure(name, destination.error(), usage_exit_code(destination.error()), console);
  return kind == Training::kAdd ? run_add(arguments, *settings, *destination, console)
                                : run_del(arguments, *settings, *destination, console);
}

CLI::App* add_train_command(CLI::App& app, Command& chosen, const std::string& name, Training kind,
                            const std::string& summary) {
  CLI::App* command = app.add_subcommand(name, summary);
  const auto arguments = std::make_shared<TrainArguments>();
  arguments->settings.add_to(*command);
  add_server_options(arguments->server, *command);
  add_message_option(arguments->messages.names, *command);
  command->add_option("--flag", arguments->flag, "The list, by number or name")
      ->type_name("N|NAME");
  command->add_flag("--json", arguments->json, "One JSON object per line and message");
  if (kind == Training::kAdd) {
    command->add_option("--weight", arguments->weight, "Number of reports this counts as (1)")
        ->type_name("N")
        ->check(CLI::Range(1, std::numeric_limits<std::int32_t>::max()));
    command->add_flag("--force", arguments->force,
                      "Also add bounces, receipts, texts without words of their own, and files "
                      "that are not mail");
  } else {
    command->add_option("--digest", arguments->digests, "Digest of a hash to delete; repeatable")
        ->type_name("HEX")
        ->allow_extra_args(false);
    command
        ->add_option("--list", arguments->whole_list,
                     "All hashes of this list of the local daemon, by number or name")
        ->type_name("N|NAME");
    command->add_flag("--dry-run", arguments->dry_run, "With --list: only count them");
    command->add_flag("--all-lists", arguments->all_lists,
                      "Delete from all lists, as servers other than shingled always do");
    command->add_flag("--matching", arguments->matching,
                      "Also delete stored hashes that the messages only resemble");
  }
  command->callback([arguments, kind, name, &chosen] {
    chosen = [arguments, kind, name](Console& console) {
      return run_train(*arguments, kind, name, console);
    };
  });
  return command;
}

}  // namespace

void add_train_commands(CLI::App& app, Command& chosen) {
  add_train_command(app, chosen, "add", Training::kAdd, "Teach messages to the storage")
      ->footer(
          R"(Exits 0 when every server has stored every hash on disk. Exits 65 when a message is too short to have a hash, or is
left out because it is not mail (it does not begin with a header) or looks like mail that everybody gets: a bounce, a
receipt, an out-of-office reply, a text with hardly any words of its own. --force adds these, too. Otherwise it exits
with the code of the first hash that failed, and the line says how many hashes were added. To try again is a new
report, which adds the weight again. The default list is the first list of the rule. A shingled server also tells the
weight that the message has now, and from which weight the same message gets a header or is rejected: by default one
report alone does neither.

Example:
  shingled add --flag denied --weight 10 ~/Maildir/.Spam)");
  add_train_command(app, chosen, "del", Training::kDelete,
                    "Delete the hashes of messages from the storage")
      ->footer(
          R"(Prints what was deleted, list by list. If a message still resembles a stored hash afterwards, the command names that
hash and exits 65; --matching deletes such hashes, too. --flag removes hashes from that list only. Servers other than
shingled can delete only from all lists, so they are refused unless --all-lists is given. Reports of people behind a
message and what is like it are withdrawn, so that the next report does not bring them back (shingled cases); the
running daemon does that, if http.listen is not empty. --list reads the database
file of the local daemon, which then removes each hash from that list; it stays on others.

Example:
  shingled del --flag denied < not-spam.eml)");
}

}  // namespace shingled::milter::cli
