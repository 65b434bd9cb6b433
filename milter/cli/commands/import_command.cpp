#include <fmt/format.h>
#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/cli/commands/commands.h"
#include "milter/desk/servers/storage_choice.h"
#include "milter/process/interrupt.h"
#include "milter/transfer/hash_feed.h"
#include "storage/formats/import.h"
#include "storage/redis/hashes/redis_import.h"

namespace shingled::milter::cli {

namespace {

struct ImportArguments {
  SettingsArguments settings;
  std::string file;
  storage::formats::MergeRule existing = storage::formats::MergeRule::kSum;
  bool json = false;
  std::string to_redis;
};

void print_outcome(const std::string& file, const storage::formats::Import::Counts& counts,
                   const transfer::FeedReport& report, Console& console) {
  console.line(fmt::format("{}: {} added, {} merged, {} unchanged{}", terminal_safe(file),
                           counted(counts.added, "hash", "hashes"), counts.merged, counts.unchanged,
                           report.broken == 0 ? "" : fmt::format(", {} broken", report.broken)));
  if (report.lost_slots != 0) {
    console.line(fmt::format("{} had lost shingles to likenesses in rspamd, {} too many to match",
                             counted(report.lost_slots, "hash", "hashes"), report.lost_hashes));
  }
}

Json outcome_json(const std::string& file, const storage::formats::Import::Counts& counts,
                  const transfer::FeedReport& report) {
  return {{"file", file},
          {"added", counts.added},
          {"merged", counts.merged},
          {"unchanged", counts.unchanged},
          {"broken", report.broken},
          {"complete", report.complete},
          {"lost_slots", report.lost_slots},
          {"lost_hashes", report.lost_hashes}};
}

int tell(const ImportArguments& arguments, const storage::formats::Import::Counts& counts,
         const transfer::FeedReport& report, Console& console) {
  if (arguments.json) {
    console.json(outcome_json(arguments.file, counts, report));
  } else {
    print_outcome(arguments.file, counts, report, console);
  }
  return report.broken == 0 && report.complete ? EX_OK : EX_DATAERR;
}

transfer::Complain complaints_on(Console& console) {
  return [&console](const std::string& where, std::string_view why) { console.error(where, why); };
}

/// Imports hash by hash into a database that may be in use.
int import_to_redis(const ImportArguments& arguments, const storage::redis::TransferOptions& redis,
                    std::uint32_t now, ProgressMeter& meter, Clock& clock, Console& console) {
  NullLogger logger;
  SystemRandom random;
  const auto import =
      storage::redis::RedisImport::open(redis, arguments.existing, clock, random, logger);
  if (!import) return meter.failed("import", import.error());
  const auto take = [&](const storage::sqlite::FuzzyRow& row) { return (*import)->take(row); };
  const auto report =
      transfer::feed_hashes(arguments.file, take, now, meter.watcher(), complaints_on(console));
  if (!report) return meter.failed(arguments.file, report.error());
  if (Status finished = (*import)->finish(); !finished) {
    return meter.failed(arguments.file, finished.error());
  }
  return tell(arguments, (*import)->counts(), *report, console);
}

int run_import(const ImportArguments& arguments, Console& console) {
  const auto settings = arguments.settings.load(console);
  if (!settings) return EX_CONFIG;
  const std::string& hashfile = settings->storage.engine.hashfile;
  std::error_code unknown;
  if (std::filesystem::equivalent(arguments.file, hashfile, unknown)) {
    console.error("import", arguments.file + ": is storage.hashfile itself");
    return EX_USAGE;
  }
  SystemClock clock;
  ProgressMeter meter(console, clock);
  const auto now = unix_seconds(clock.wall());
  // The storage is opened with the first hash: what is no import file makes no database.
  const auto redis = desk::redis_choice(arguments.to_redis, settings->storage);
  if (!redis) {
    console.error("import", "--to-redis " + redis.error().message);
    return EX_USAGE;
  }
  if (*redis) return import_to_redis(arguments, **redis, now, meter, clock, console);
  if (const auto into = desk::database_file(settings->storage, "--to-redis"); !into) {
    console.error("import", into.error().message);
    return EX_USAGE;
  }
  std::unique_ptr<storage::formats::Import> import;
  const auto open = [&]() -> Status {
    if (import) return {};
    auto opened = storage::formats::Import::open(hashfile, arguments.existing, meter.watcher());
    if (!opened) return opened.error();
    import = *std::move(opened);
    return {};
  };
  const auto take = [&](const storage::sqlite::FuzzyRow& row) -> Status {
    if (Status ready = open(); !ready) return ready;
    return import->take(row);
  };
  const auto report =
      transfer::feed_hashes(arguments.file, take, now, meter.watcher(), complaints_on(console));
  if (!report) return meter.failed(arguments.file, report.error());
  storage::formats::Import::Counts counts;
  if (import) {
    if (!meter.report({"committing", 0, 0})) return process::kExitInterrupted;
    if (Status committed = import->commit(); !committed) {
      return meter.failed(arguments.file, committed.error());
    }
    counts = import->counts();
  }
  return tell(arguments, counts, *report, console);
}

}  // namespace

void add_import_command(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("import", "Import hashes: an export, or a database of shingled or rspamd");
  command->footer(
      R"(The daemon must not be running. The import is all or nothing: if it is killed or the disk is full, the storage is
unchanged. A line that cannot be read is reported with its number and left out; the exit code is then 65.
--existing decides about a hash that is already stored:
  sum      add the weights, list by list (two storages taught by different people; the default)
  larger   keep the larger weight of each list (both taught the same; a second import changes nothing)
  skip     keep the stored hash
  replace  replace it with the one of the file
With sum and larger, the earlier creation and the later time are kept.
An import into Redis runs while others use it, hash by hash: updates by others are kept, and hashes written before
an error stay. The URL is redis://[[USER]:PASSWORD@]HOST[:PORT][/DB] or unix:/PATH, with %40 for @ and %25 for % in
user and password; prefix and expire come from the settings.

Example:
  shingled import --existing larger hashes.jsonl)");
  const auto arguments = std::make_shared<ImportArguments>();
  arguments->settings.add_to(*command);
  command->add_option("file", arguments->file, "JSON Lines, a database of shingled or of rspamd")
      ->type_name("FILE|-")
      ->required();
  const std::map<std::string, storage::formats::MergeRule> rules = {
      {"sum", storage::formats::MergeRule::kSum},
      {"larger", storage::formats::MergeRule::kLarger},
      {"skip", storage::formats::MergeRule::kSkip},
      {"replace", storage::formats::MergeRule::kReplace}};
  command->add_option("--existing", arguments->existing, "sum, larger, skip or replace")
      ->type_name("RULE")
      ->transform(CLI::CheckedTransformer(rules).description(""));
  command
      ->add_option("--to-redis", arguments->to_redis,
                   "Write to this Redis database (default with backend redis: storage.redis)")
      ->type_name("URL");
  command->add_flag("--json", arguments->json, "One JSON object");
  when_asked(*command, chosen, arguments, run_import);
}

}  // namespace shingled::milter::cli
