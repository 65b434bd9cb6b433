#include <fmt/format.h>
#include <sysexits.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "milter/cli/access/settings_choice.h"
#include "milter/cli/access/storage_choice.h"
#include "milter/cli/commands/commands.h"
#include "milter/cli/counters/counter_backup.h"
#include "milter/cli/output/progress_meter.h"
#include "milter/cli/terminal/exit_code.h"
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
  bool without_reports = false;
};

constexpr const char* kCountersEnding = ".counters.jsonl";
constexpr const char* kReportsEnding = ".reports.db";
constexpr const char* kPeopleEnding = ".people.db";

/// A database that is copied, and its copy.
struct Copied {
  std::string from;
  std::string to;
  storage::formats::BackupSource source;
  std::optional<storage::formats::NewFile> file = {};
};

/// What people reported on this machine, as it is now. They fit the hashes that are opened next: a
/// report is in this file before its hashes are taught.
Result<std::vector<Copied>> open_reports(const BackupArguments& arguments,
                                         const Settings& settings) {
  std::vector<std::pair<std::string, const char*>> wanted = {
      {settings.reports.file, kReportsEnding}};
  if (settings.counters.enabled && !settings.counters.shared.enabled())
    wanted.emplace_back(settings.counters.people_path(), kPeopleEnding);
  std::vector<Copied> out;
  for (const auto& [path, ending] : wanted) {
    // Nobody reported anything yet.
    if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT) continue;
    auto source = storage::formats::BackupSource::of_other(path);
    if (!source) return source.error();
    out.push_back({path, arguments.file + ending, *std::move(source)});
  }
  return out;
}

/// A damaged copy must not replace a good backup.
int judge_copy(const std::string& hashfile, const std::string& copy, const Clock& clock,
               ProgressMeter& meter, Console& console) {
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

/// Copies all of them, the last of which has the hashes. A damaged copy is not kept.
int copy_databases(std::vector<Copied>& files, storage::formats::NewFile::Existing existing,
                   ProgressMeter& meter, Console& console) {
  for (Copied& one : files) {
    auto file = storage::formats::NewFile::create(one.to, existing);
    if (!file) {
      console.error("backup", file.error().message);
      return EX_CANTCREAT;
    }
    one.file.emplace(*std::move(file));
  }
  for (Copied& one : files) {
    Status copied = one.source.copy_to(one.file->part(), meter.watcher());
    if (copied && &one != &files.back()) copied = storage::formats::check_copy(one.file->part());
    if (!copied) return meter.failed("backup", copied.error());
  }
  return EX_OK;
}

/// Gives the copies their names, the hashes last.
int name_copies(std::vector<Copied>& files, Console& console) {
  for (Copied& one : files) {
    if (Status named = one.file->commit(); !named) {
      console.error("backup", named.error().message);
      return EX_CANTCREAT;
    }
  }
  for (auto one = files.rbegin(); one != files.rend(); ++one) {
    std::error_code unknown;
    console.line(fmt::format("{}: {} bytes, a copy of {}", terminal_safe(one->to),
                             std::filesystem::file_size(one->to, unknown),
                             terminal_safe(one->from)));
  }
  return EX_OK;
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
  SystemClock clock;
  ProgressMeter meter(console, clock);
  using Existing = storage::formats::NewFile::Existing;
  const Existing existing = arguments.force ? Existing::kReplace : Existing::kRefuse;
  // First the error of a caller who may not read the hashes.
  if (auto may = storage::formats::BackupSource::of_hashes(*from); !may)
    return meter.failed("backup", may.error());
  // All are opened before the first is copied, so that they fit together.
  std::vector<Copied> files;
  if (!arguments.without_reports && settings->reports.enabled) {
    auto reports = open_reports(arguments, *settings);
    if (!reports) {
      console.error("backup", reports.error().message + "; --without-reports leaves them out");
      return database_exit_code(reports.error());
    }
    files = *std::move(reports);
  }
  auto hashes = storage::formats::BackupSource::of_hashes(*from);
  if (!hashes) return meter.failed("backup", hashes.error());
  files.push_back({*from, arguments.file, *std::move(hashes)});
  if (const int code = copy_databases(files, existing, meter, console); code != EX_OK) return code;
  if (const int code = judge_copy(*from, files.back().file->part(), clock, meter, console);
      code != EX_OK)
    return code;
  if (const int code = name_copies(files, console); code != EX_OK) return code;
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
What people reported is copied at the same moment: reports.file to FILE.reports.db, and people.db of
counters.directory to FILE.people.db. They are put back like the hashes, all of one backup together.
The counters of this machine are written to FILE.counters.jsonl, as by shingled counters export; import them with
shingled counters import. Reports and counters need the key of the counters (counters.key_file), which is not copied.

Example:
  shingled backup /var/backups/fuzzy.db)");
  const auto arguments = std::make_shared<BackupArguments>();
  arguments->settings.add_to(*command);
  command->add_option("file", arguments->file, "File to write")->type_name("FILE")->required();
  command->add_flag("-f,--force", arguments->force, "Replace FILE if it exists");
  command->add_flag("--without-counters", arguments->without_counters,
                    "Do not write FILE.counters.jsonl");
  command->add_flag("--without-reports", arguments->without_reports,
                    "Do not write FILE.reports.db and FILE.people.db");
  command->callback([arguments, &chosen] {
    chosen = [arguments](Console& console) { return run_backup(*arguments, console); };
  });
}

}  // namespace shingled::milter::cli
