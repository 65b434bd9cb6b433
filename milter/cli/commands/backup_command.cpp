#include <fmt/format.h>
#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "milter/cli/access/settings_choice.h"
#include "milter/cli/access/storage_choice.h"
#include "milter/cli/commands/commands.h"
#include "milter/cli/counters/counter_backup.h"
#include "milter/cli/output/work_meter.h"
#include "storage/formats/backup.h"
#include "storage/formats/new_file.h"
#include "storage/formats/verify.h"

namespace shingled::milter::cli {

namespace {

struct BackupArguments {
  SettingsArguments settings;
  std::string file;
  bool force = false;
  bool without_counters = false;
};

constexpr const char* kCountersEnding = ".counters.jsonl";

/// A damaged copy must not replace a good backup.
int judge_copy(const std::string& hashfile, const std::string& copy, const Clock& clock,
               WorkMeter& meter, Console& console) {
  storage::formats::VerifyOptions options;
  options.with_index = false;
  options.now = unix_seconds(clock.wall());
  const auto report = storage::formats::verify_file(copy, options, meter.watcher());
  if (!report) return meter.failed("backup", report.error());
  if (report->problem_count == 0) {
    if (report->warning_count != 0) {
      console.note(fmt::format("shingled: {}: {}; see shingled verify", terminal_safe(hashfile),
                               counted(report->warning_count, "warning", "warnings")));
    }
    return EX_OK;
  }
  console.error(hashfile, fmt::format("damaged ({}), so no backup was made; see shingled verify",
                                      counted(report->problem_count, "problem", "problems")));
  return EX_DATAERR;
}

int run_backup(const BackupArguments& arguments, Console& console) {
  const auto settings = arguments.settings.load(console);
  if (!settings) return EX_CONFIG;
  const auto from =
      database_file(settings->storage, "shingled export, or the backups of Redis itself");
  if (!from) {
    console.error("backup", from.error().message);
    return EX_USAGE;
  }
  const std::string& hashfile = *from;
  SystemClock clock;
  WorkMeter meter(console, clock);
  using Existing = storage::formats::NewFile::Existing;
  const Existing existing = arguments.force ? Existing::kReplace : Existing::kRefuse;
  auto file = storage::formats::NewFile::create(arguments.file, existing);
  if (!file) {
    console.error("backup", file.error().message);
    return EX_CANTCREAT;
  }
  if (Status copied = storage::formats::backup_file(hashfile, file->part(), meter.watcher());
      !copied) {
    return meter.failed("backup", copied.error());
  }
  if (const int code = judge_copy(hashfile, file->part(), clock, meter, console); code != EX_OK) {
    return code;
  }
  if (Status named = file->commit(); !named) {
    console.error("backup", named.error().message);
    return EX_CANTCREAT;
  }
  std::error_code unknown;
  console.line(fmt::format("{}: {} bytes, a copy of {}", terminal_safe(arguments.file),
                           std::filesystem::file_size(arguments.file, unknown),
                           terminal_safe(hashfile)));
  if (arguments.without_counters || !has_own_counters(*settings)) return EX_OK;
  return back_up_counters(*settings, arguments.file + kCountersEnding, existing, meter, console);
}

}  // namespace

void add_backup_command(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("backup", "Copy the database, also while the daemon runs");
  command->footer(
      R"(The copy shows the database at one moment. It is written to FILE.part, verified, synced and then
renamed. An existing FILE is kept unless --force is given. To restore, stop the daemon and replace
storage.hashfile with the copy; remove the -wal and -shm files of the old database, and give the new one to the user of
the daemon (chown _shingled: FILE), since a file that root copies is root's.
The counters of this machine are written to FILE.counters.jsonl, as by shingled counters export; import them with
shingled counters import. They need the key of the counters (counters.key_file), which is not copied.

Example:
  shingled backup /var/backups/fuzzy.db)");
  const auto arguments = std::make_shared<BackupArguments>();
  arguments->settings.add_to(*command);
  command->add_option("file", arguments->file, "File to write")->type_name("FILE")->required();
  command->add_flag("-f,--force", arguments->force, "Replace FILE if it exists");
  command->add_flag("--without-counters", arguments->without_counters,
                    "Do not write FILE.counters.jsonl");
  command->callback([arguments, &chosen] {
    chosen = [arguments](Console& console) { return run_backup(*arguments, console); };
  });
}

}  // namespace shingled::milter::cli
