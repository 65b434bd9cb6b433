#include <fmt/format.h>
#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "milter/backup/site_parts.h"
#include "milter/backup/take_backup.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/cli/commands/commands.h"
#include "milter/cli/counters/counter_backup.h"
#include "milter/view/amount_text.h"
#include "milter/view/lines/status_lines.h"

namespace shingled::milter::cli {

namespace {

struct BackupArguments {
  SettingsArguments settings;
  std::string folder;
  std::vector<std::string> without;
  bool with_keys = false;
  bool json = false;
};

void print_backup(const backup::TakenBackup& taken, Console& console) {
  std::vector<TableRow> rows;
  std::uint64_t bytes = 0;
  for (const backup::StoredPart& part : taken.manifest.parts) {
    bytes += part.bytes;
    rows.push_back({terminal_safe(part.name), terminal_safe(part.file),
                    view::bytes_text(static_cast<double>(part.bytes)), terminal_safe(part.path)});
  }
  print_table(rows, "", console);
  for (const backup::LeftOut& left : taken.manifest.left_out)
    console.line("not taken: " + terminal_safe(left.what) + ": " + terminal_safe(left.why));
  console.line(fmt::format("{}: {}, {}", terminal_safe(taken.folder),
                           counted(taken.manifest.parts.size(), "file", "files"),
                           view::bytes_text(static_cast<double>(bytes))));
}

int backup_failed(const Error& error, ProgressMeter& meter) {
  const int code = meter.failed("backup", error);
  // The name that was given for it cannot be used.
  return code == EX_DATAERR && error.code == ErrorCode::kInvalid ? EX_CANTCREAT : code;
}

int run_backup(const BackupArguments& arguments, Console& console) {
  const auto settings = arguments.settings.load(console);
  if (!settings) return EX_CONFIG;
  const auto without = backup::parse_kinds(arguments.without);
  if (!without) {
    console.error("backup", "--without: " + without.error().message);
    return EX_USAGE;
  }
  SystemClock clock;
  ProgressMeter meter(console, clock);
  const backup::BackupOptions options{.folder = arguments.folder,
                                      .settings_file = arguments.settings.chosen_file(),
                                      .with_keys = arguments.with_keys,
                                      .without = *without};
  const auto counters = [&](const std::string& file) {
    return export_counters_to(*settings, file, meter, console);
  };
  const auto taken = backup::take_backup(*settings, options, counters, clock, meter.watcher());
  if (!taken) return backup_failed(taken.error(), meter);
  console.clear_drawn();
  if (taken->warnings != 0) {
    console.note(fmt::format("shingled: {}: {}; see shingled verify",
                             terminal_safe(settings->storage.engine.hashfile),
                             counted(taken->warnings, "warning", "warnings")));
  }
  if (arguments.json) {
    Json json = {{"folder", taken->folder}};
    json.update(backup::manifest_json(taken->manifest));
    console.json(json);
  } else {
    print_backup(*taken, console);
  }
  return EX_OK;
}

}  // namespace

void add_backup_command(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("backup", "Copy all that this site has, also while the daemon runs");
  command->footer(
      R"(DIR becomes a folder for its owner alone: the hashes, the counters (as by shingled counters export), what people
reported and what waits for reports.home, the history, known files, the limits of mail, the model, the settings with the
files that they name, and manifest.json: the parts with their sums, and each missing part with the reason. shingled
restore puts a backup back.
All databases are copied as they are at one moment. Each copy is read again and checked; what is damaged is not backed
up. It is written to DIR.part and renamed when all of it is on the disk. DIR must not exist, or be empty.
Keys are taken only with --with-keys: that of the counters, private keys, http.keys_file, http.users_file, and settings
with passwords or private keys in them. Counters and reports cannot be found without the key of the counters, so keep
it, too. What is in Redis is not taken.

Example:
  shingled backup /var/backups/shingled)");
  const auto arguments = std::make_shared<BackupArguments>();
  arguments->settings.add_to(*command);
  command->add_option("folder", arguments->folder, "Folder to make")->type_name("DIR")->required();
  command->add_flag("--with-keys", arguments->with_keys, "Also keys and other secrets");
  command->add_option("--without", arguments->without, "Leave out " + backup::kinds_text())
      ->type_name("PART")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag("--json", arguments->json, "One JSON object");
  when_asked(*command, chosen, arguments, run_backup);
}

}  // namespace shingled::milter::cli
