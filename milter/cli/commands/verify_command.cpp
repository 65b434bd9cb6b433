#include <fmt/format.h>
#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/cli/commands/commands.h"
#include "milter/cli/counters/counter_backup.h"
#include "milter/desk/servers/storage_choice.h"
#include "storage/formats/verify.h"

namespace shingled::milter::cli {

namespace {

struct VerifyArguments {
  SettingsArguments settings;
  std::string file;
  bool file_only = false;
  bool without_counters = false;
  bool json = false;
};

void print_report(const std::string& file, const storage::formats::VerifyReport& report,
                  Console& console) {
  for (const std::string& warning : report.warnings)
    console.line("warning: " + terminal_safe(warning));
  if (report.warning_count > report.warnings.size()) {
    console.line(fmt::format("and {} more", counted(report.warning_count - report.warnings.size(),
                                                    "warning", "warnings")));
  }
  for (const std::string& problem : report.problems) console.line(terminal_safe(problem));
  if (report.problem_count > report.problems.size()) {
    console.line(fmt::format("and {} more", report.problem_count - report.problems.size()));
  }
  const std::string verdict = report.problem_count == 0
                                  ? "no problem found"
                                  : counted(report.problem_count, "problem", "problems");
  const std::string odd =
      report.warning_count == 0 ? "" : ", " + counted(report.warning_count, "warning", "warnings");
  console.line(fmt::format("{}: {}, {} with shingles, {}: {}{}", terminal_safe(file),
                           counted(report.rows, "hash", "hashes"), report.with_shingles,
                           counted(report.lists, "list entry", "list entries"), verdict, odd));
  if (report.crowded != 0) {
    console.line(
        fmt::format("{} shingle slots with more owners than are kept; the newest owners are "
                    "dropped first",
                    counted(report.crowded, "hash shares", "hashes share")));
  }
}

Json report_json(const std::string& file, const storage::formats::VerifyReport& report) {
  return {{"file", file},
          {"hashes", report.rows},
          {"with_shingles", report.with_shingles},
          {"list_entries", report.lists},
          {"crowded", report.crowded},
          {"problem_count", report.problem_count},
          {"problems", report.problems},
          {"warning_count", report.warning_count},
          {"warnings", report.warnings}};
}

int run_verify(const VerifyArguments& arguments, Console& console) {
  const auto settings = arguments.settings.load(console);
  if (!settings) return EX_CONFIG;
  const auto file = arguments.file.empty()
                        ? desk::database_file(settings->storage, "shingled verify FILE for a copy")
                        : Result<std::string>(arguments.file);
  if (!file) {
    console.error("verify", file.error().message);
    return EX_USAGE;
  }
  SystemClock clock;
  ProgressMeter meter(console, clock);
  const storage::formats::VerifyOptions options{
      .with_index = !arguments.file_only,
      .slot_owners_max = settings->storage.engine.slot_owners_max,
      .now = unix_seconds(clock.wall())};
  const auto report = storage::formats::verify_file(*file, options, meter.watcher());
  if (!report) return meter.failed("verify", report.error());
  Json json = report_json(*file, *report);
  if (!arguments.json) print_report(*file, *report, console);
  int code = report->problem_count == 0 ? EX_OK : EX_DATAERR;
  if (arguments.file.empty() && !arguments.without_counters && has_own_counters(*settings)) {
    const int of_counters = verify_counters(*settings, arguments.json ? &json : nullptr, console);
    code = worse_exit_code(code, of_counters);
  }
  if (arguments.json) console.json(json);
  return code;
}

}  // namespace

void add_verify_command(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("verify", "Check a database file, also while the daemon runs");
  command->footer(
      R"(Reads everything and changes nothing: the pages of SQLite, every hash and list, and whether an index built from them
finds each hash again. That index needs as much memory as the daemon; --file-only skips it. Exits 0 when all is well,
65 (EX_DATAERR) when something is damaged. Times left behind by a wrong clock are warnings.
Without FILE the counters of this machine are checked, too, as by shingled counters verify.

Example:
  shingled verify /var/backups/fuzzy.db)");
  const auto arguments = std::make_shared<VerifyArguments>();
  arguments->settings.add_to(*command);
  command->add_option("file", arguments->file, "A database (default: storage.hashfile)")
      ->type_name("FILE");
  command->add_flag("--file-only", arguments->file_only, "Do not build the index");
  command->add_flag("--without-counters", arguments->without_counters, "Only the database");
  command->add_flag("--json", arguments->json, "One JSON object");
  when_asked(*command, chosen, arguments, run_verify);
}

}  // namespace shingled::milter::cli
