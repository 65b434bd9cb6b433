#include <fmt/format.h>
#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/base/hex.h"
#include "config/base/zbase32.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/cli/commands/commands.h"
#include "milter/desk/servers/storage_choice.h"
#include "storage/engine/engine.h"
#include "storage/replication/forget_store.h"

namespace shingled::milter::cli {

namespace {

using Known = storage::sqlite::ReplicaReader::Known;

struct StoresArguments {
  SettingsArguments settings;
  std::string forget;  ///< the beginning of a name; empty = list
  bool dry_run = false;
  bool json = false;
};

bool is_configured(const Known& store, const ReplicationOptions& options) {
  return store.key && std::ranges::find(options.master_key, *store.key) != options.master_key.end();
}

void print_stores(const std::vector<Known>& stores, const ReplicationOptions& options,
                  Console& console) {
  std::vector<TableRow> rows{{"name", "hashes", "who", "key"}};
  for (const Known& store : stores) {
    const char* who = store.number == 0               ? "this file itself"
                      : is_configured(store, options) ? "in master_key"
                                                      : "not in master_key";
    rows.push_back({to_hex(store.id), std::to_string(store.parts), who,
                    store.key ? to_zbase32(*store.key) : "-"});
  }
  print_table(rows, "", console);
}

Json store_json(const Known& store, const ReplicationOptions& options) {
  return {{"name", to_hex(store.id)},
          {"self", store.number == 0},
          {"hashes", store.parts},
          {"key", store.key ? Json(to_zbase32(*store.key)) : Json(nullptr)},
          {"configured", is_configured(store, options)},
          {"complete", store.whole}};
}

/// The only master with a name that begins like this.
Result<Known> find_store(const std::vector<Known>& stores, const std::string& beginning) {
  std::optional<Known> found;
  for (const Known& store : stores) {
    if (store.number == 0 || !to_hex(store.id).starts_with(beginning)) continue;
    if (found) return Error{ErrorCode::kInvalid, "several stores begin like this"};
    found = store;
  }
  if (!found) return Error{ErrorCode::kInvalid, "no store begins like this; see `shingled stores`"};
  return *found;
}

int forget(const StoresArguments& arguments, const Settings& settings, const Known& store,
           storage::sqlite::ReplicaReader& reader, Console& console) {
  const std::string what =
      fmt::format("store {} with {}", to_hex(store.id), counted(store.parts, "hash", "hashes"));
  if (is_configured(store, settings.storage.replication)) {
    console.note("its key is in storage.master_key: the store comes back when it connects");
  }
  if (arguments.dry_run) {
    console.line(what + ": would be forgotten");
    return EX_OK;
  }
  SystemClock clock;
  NullLogger logger;
  ProgressMeter meter(console, clock);
  const auto engine = storage::engine::Engine::open(settings.storage.engine, clock, logger);
  if (!engine) return meter.failed("stores", engine.error());
  const auto gone = storage::replication::forget_store(**engine, reader, store.id);
  if (!gone) return meter.failed("stores", gone.error());
  console.line(what + ": forgotten");
  return EX_OK;
}

int run_stores(const StoresArguments& arguments, Console& console) {
  const auto settings = arguments.settings.load(console);
  if (!settings) return EX_CONFIG;
  const auto wrong = [&](std::string_view what) {
    console.error("stores", what);
    return EX_USAGE;
  };
  const auto file = desk::database_file(settings->storage, "Redis, without masters");
  if (!file) return wrong(file.error().message);
  if (arguments.dry_run && arguments.forget.empty()) return wrong("--dry-run: needs --forget");
  SystemClock clock;
  ProgressMeter meter(console, clock);
  const auto reader = storage::sqlite::ReplicaReader::open(*file);
  if (!reader) return meter.failed("stores", reader.error());
  const auto stores = (*reader)->stores();
  if (!stores) return meter.failed("stores", stores.error());
  if (!arguments.forget.empty()) {
    const auto store = find_store(*stores, arguments.forget);
    if (!store) return wrong("--forget " + arguments.forget + ": " + store.error().message);
    return forget(arguments, *settings, *store, **reader, console);
  }
  const ReplicationOptions& options = settings->storage.replication;
  if (!arguments.json) {
    print_stores(*stores, options, console);
    return EX_OK;
  }
  for (const Known& store : *stores) console.json(store_json(store, options));
  return EX_OK;
}

}  // namespace

void add_stores_command(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("stores", "List the masters whose hashes are stored here, or forget one");
  command->footer(
      R"(Without --forget nothing is changed, and the daemon may be running. A file has room for 64 masters, each known by its
key; an unused one keeps its place, and its hashes until they expire. --forget removes both, permanently if its key is
not in storage.master_key; the daemon must not be running. Hashes that others have taught, too, stay.

Example:
  shingled stores
  shingled stores --forget 5f0c2e --dry-run)");
  const auto arguments = std::make_shared<StoresArguments>();
  arguments->settings.add_to(*command);
  command
      ->add_option("--forget", arguments->forget, "Store to forget, by the beginning of its name")
      ->type_name("NAME");
  command->add_flag("--dry-run", arguments->dry_run, "Only show what would be forgotten");
  command->add_flag("--json", arguments->json, "One JSON object per line and store");
  when_asked(*command, chosen, arguments, run_stores);
}

}  // namespace shingled::milter::cli
