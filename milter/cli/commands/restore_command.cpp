#include <fmt/format.h>
#include <sysexits.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "config/load_settings.h"
#include "milter/backup/restore.h"
#include "milter/backup/site_parts.h"
#include "milter/backup/stored_backup.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/cli/commands/commands.h"
#include "milter/cli/counters/counter_backup.h"
#include "milter/desk/counters/counter_file.h"
#include "milter/process/privileges.h"
#include "milter/view/amount_text.h"
#include "milter/view/lines/status_lines.h"

namespace shingled::milter::cli {

namespace {

struct RestoreArguments {
  SettingsArguments settings;
  std::string folder;
  std::string user;
  std::vector<std::string> without;
  bool force = false;
  bool json = false;
};

/// The settings that say where files go: those that stand, else those of the backup. The files that
/// these name may be in the backup, too, so what is wrong without them counts later.
std::shared_ptr<const Settings> settings_for(const RestoreArguments& arguments,
                                             const backup::RestoreOptions& options,
                                             const backup::StoredBackup& stored, Console& console) {
  const backup::StoredPart* part = stored.manifest().find(backup::kSettingsPart);
  const bool stand = ::access(options.settings_file.c_str(), F_OK) == 0;
  if (stand || part == nullptr || options.without.contains("settings"))
    return arguments.settings.load(console);
  const auto loaded =
      config::load_settings_file(stored.path_of(*part), arguments.settings.all_overrides());
  if (loaded.settings != nullptr) return loaded.settings;
  if (loaded.attempt != nullptr) return loaded.attempt;
  for (const config::Problem& problem : loaded.problems)
    console.note(terminal_safe(problem.to_string()));
  return nullptr;
}

Result<backup::RestoreOptions> options_of(const RestoreArguments& arguments) {
  backup::RestoreOptions out;
  out.settings_file = arguments.settings.place();
  out.force = arguments.force;
  auto without = backup::parse_kinds(arguments.without);
  if (!without) return without.error().in("--without");
  out.without = *std::move(without);
  if (arguments.user.empty()) return out;
  DaemonOptions daemon;
  daemon.user = arguments.user;
  const auto owner = process::daemon_identity(daemon);
  if (!owner) return Error{ErrorCode::kInvalid, "--user " + arguments.user + ": no such user"};
  out.owner = *owner;
  return out;
}

Json restored_json(const backup::Restored& restored, const backup::StoredBackup& stored) {
  Json out = {{"folder", stored.folder()}, {"owner", restored.owner}, {"parts", Json::array()}};
  for (const backup::RestoredPart& part : restored.parts) {
    Json one = {{"name", part.name}, {"path", part.path}, {"bytes", part.bytes}};
    if (!part.aside.empty()) one["aside"] = part.aside;
    if (!part.note.empty()) one["note"] = part.note;
    out["parts"].push_back(std::move(one));
  }
  out["left_out"] = Json::array();
  for (const backup::LeftOut& left : restored.left_out)
    out["left_out"].push_back(Json{{"what", left.what}, {"why", left.why}});
  return out;
}

void print_restored(const backup::Restored& restored, const backup::StoredBackup& stored,
                    Console& console) {
  std::vector<TableRow> rows;
  for (const backup::RestoredPart& part : restored.parts) {
    rows.push_back({terminal_safe(part.name), view::bytes_text(static_cast<double>(part.bytes)),
                    terminal_safe(part.path), part.note});
  }
  print_table(rows, "", console);
  for (const backup::RestoredPart& part : restored.parts) {
    if (!part.aside.empty())
      console.line("moved aside: " + terminal_safe(part.path) + " is " + terminal_safe(part.aside));
  }
  for (const backup::LeftOut& left : restored.left_out)
    console.line("not put back: " + terminal_safe(left.what) + ": " + terminal_safe(left.why));
  for (const backup::LeftOut& left : stored.manifest().left_out)
    console.line("not in the backup: " + terminal_safe(left.what) + ": " + terminal_safe(left.why));
  console.line(fmt::format(
      "{}: {} put back for the user {}; start the daemon", terminal_safe(stored.folder()),
      counted(restored.parts.size(), "part", "parts"), terminal_safe(restored.owner)));
}

int run_restore(const RestoreArguments& arguments, Console& console) {
  SystemClock clock;
  ProgressMeter meter(console, clock);
  const auto options = options_of(arguments);
  if (!options) {
    console.error("restore", options.error().message);
    return EX_USAGE;
  }
  const auto stored = backup::StoredBackup::open(arguments.folder);
  if (!stored) return meter.failed("restore", stored.error());
  const storage::Watcher watcher = meter.watcher();
  // Nothing is touched, and no file of it is believed, before all of it is known to be whole.
  if (Status whole = stored->check(watcher); !whole) return meter.failed("restore", whole.error());
  const auto settings = settings_for(arguments, *options, *stored, console);
  if (settings == nullptr) return EX_CONFIG;
  const auto counters = [&](const std::string& file, const CounterOptions& into) {
    return desk::import_counters_into(into, file, meter.watcher());
  };
  const auto restored = backup::restore(*stored, *settings, *options, counters, clock, watcher);
  if (!restored) return meter.failed("restore", restored.error());
  console.clear_drawn();
  if (arguments.json)
    console.json(restored_json(*restored, *stored));
  else
    print_restored(*restored, *stored, console);
  return EX_OK;
}

}  // namespace

void add_restore_command(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("restore", "Put a backup back; stop the daemon first");
  command->footer(
      R"(DIR is a folder of shingled backup. First all of it is compared with its manifest. Files go where the settings of
this machine say, whatever their places were; the settings of the backup are put beside those that stand
(FILE.restored), or in their place where none stand.
Nothing is overwritten: what is in the way is named, and with --force it is moved aside to a name that ends in
.before-TIME. Everything is written beside its place first, so a full disk leaves all as it was; then the names change.
Files belong to the user of the daemon: --user, else daemon.user, else the owner of the folder of storage.hashfile.
Only root can give them to somebody else.
Counters and reports can only be found with the key that they were made with. If it is not in the backup
(--with-keys), it must stand here; with another key they are refused.

Example:
  shingled restore /var/backups/shingled)");
  const auto arguments = std::make_shared<RestoreArguments>();
  arguments->settings.add_to(*command);
  command->add_option("folder", arguments->folder, "A backup")->type_name("DIR")->required();
  command->add_flag("-f,--force", arguments->force, "Move aside what is in the way");
  command->add_option("--user", arguments->user, "Whose the files are to be")->type_name("NAME");
  command->add_option("--without", arguments->without, "Leave out " + backup::kinds_text())
      ->type_name("PART")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag("--json", arguments->json, "One JSON object");
  when_asked(*command, chosen, arguments, run_restore);
}

}  // namespace shingled::milter::cli
