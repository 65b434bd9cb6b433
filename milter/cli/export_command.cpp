#include <fmt/format.h>
#include <sysexits.h>

#include <CLI/CLI.hpp>

#include "milter/cli/commands.h"
#include "milter/cli/export_output.h"
#include "milter/cli/hash_line.h"
#include "milter/cli/settings_choice.h"
#include "milter/cli/work_meter.h"
#include "storage/sqlite/fuzzy_table.h"
#include "storage/sqlite/rspamd_writer.h"

namespace shingled::milter {

namespace {

constexpr std::size_t kWriteBytes = 256UL * 1024;

struct ExportArguments {
  SettingsArguments settings;
  std::string file = "-";
  std::string format = "json";
  bool force = false;
};

struct ExportCounts {
  std::uint64_t hashes = 0;
  std::uint64_t more_lists = 0;  ///< hashes on more than one list
};

using TakeRow = std::function<Status(const storage::FuzzyRow&)>;

/// Gives every row of the table to `take`, at one moment of a file others may write to.
Status for_each_row(storage::FuzzyTable& table, std::uint64_t total, const TakeRow& take,
                    ExportCounts& counts, WorkMeter& meter) {
  Status outcome;
  Status read = table.for_each([&](const storage::FuzzyRow& row) {
    outcome = take(row);
    if (row.flags.size() > 1) ++counts.more_lists;
    if (++counts.hashes % storage::kWatchEvery == 0 && outcome &&
        !meter.report({"writing hashes", counts.hashes, total})) {
      outcome = storage::stopped();
    }
    return outcome.has_value();
  });
  return outcome ? read : outcome;
}

Status export_lines(storage::FuzzyTable& table, std::uint64_t total, ExportOutput& output,
                    ExportCounts& counts, WorkMeter& meter) {
  std::string lines = hash_lines_header(total) + "\n";
  const auto take = [&](const storage::FuzzyRow& row) -> Status {
    append_hash_line(lines, row);
    if (lines.size() < kWriteBytes) return {};
    Status written = output.write(lines);
    lines.clear();
    return written;
  };
  if (Status all = for_each_row(table, total, take, counts, meter); !all) return all;
  if (!lines.empty()) {
    if (Status written = output.write(lines); !written) return written;
  }
  return output.finish();
}

Status export_rspamd(storage::FuzzyTable& table, std::uint64_t total, storage::NewFile& file,
                     ExportCounts& counts, WorkMeter& meter) {
  const auto writer = storage::RspamdWriter::create(file.part());
  if (!writer) return writer.error();
  const auto take = [&](const storage::FuzzyRow& row) { return (*writer)->insert(row); };
  if (Status all = for_each_row(table, total, take, counts, meter); !all) return all;
  if (Status built = (*writer)->finish(meter.watcher()); !built) return built;
  return file.commit();
}

/// The table at one moment: the count in the header is that of the rows which follow it.
Result<std::uint64_t> begin_reading(storage::FuzzyTable& table) {
  if (Status held = table.hold_still(); !held) return held.error();
  const auto count = table.count();
  if (!count) return count.error();
  return static_cast<std::uint64_t>(*count);
}

int run_export(const ExportArguments& arguments, Console& console) {
  const auto settings = arguments.settings.load(console);
  if (!settings) return EX_CONFIG;
  const bool rspamd = arguments.format == "rspamd";
  if (rspamd && arguments.file == "-") {
    console.error("export", "--format rspamd makes a database: name the FILE");
    return EX_USAGE;
  }
  using Existing = storage::NewFile::Existing;
  const Existing existing = arguments.force ? Existing::kReplace : Existing::kRefuse;
  SystemClock clock;
  WorkMeter meter(console, clock);
  const auto table = storage::FuzzyTable::open_read_only(settings->storage.engine.hashfile);
  if (!table) return meter.failed("export", table.error());
  const auto total = begin_reading(**table);
  if (!total) return meter.failed("export", total.error());
  const auto cannot_create = [&](const Error& error) {
    console.error("export", error.message);
    return EX_CANTCREAT;
  };
  ExportCounts counts;
  Status done;
  if (rspamd) {
    auto file = storage::NewFile::create(arguments.file, existing);
    if (!file) return cannot_create(file.error());
    done = export_rspamd(**table, *total, *file, counts, meter);
  } else {
    auto output = ExportOutput::open(arguments.file, existing, console);
    if (!output) return cannot_create(output.error());
    done = export_lines(**table, *total, *output, counts, meter);
  }
  if (console.broken()) return EX_IOERR;  // whoever called says so
  if (!done) return meter.failed("export", done.error());
  if (arguments.file == "-") return EX_OK;
  console.line(fmt::format("{}: {}", terminal_safe(arguments.file),
                           counted(counts.hashes, "hash", "hashes")));
  if (rspamd && counts.more_lists != 0) {
    console.note(fmt::format("shingled: {} on more than one list; rspamd has the heaviest only",
                             counted(counts.more_lists, "hash is", "hashes are")));
  }
  return EX_OK;
}

}  // namespace

void add_export_command(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("export", "Write all hashes as JSON Lines, or as a database for rspamd");
  command->footer(
      R"(Works also while the daemon runs: the hashes of one moment. A FILE is there only when it is complete.
storage/SCHEMA.md describes the lines. --format rspamd keeps the heaviest list of each hash, its weight,
time and shingles; a shingle that several hashes share goes to the newest of them, as rspamd does it.

Example:
  shingled export hashes.jsonl)");
  const auto arguments = std::make_shared<ExportArguments>();
  arguments->settings.add_to(*command);
  command->add_option("file", arguments->file, "Where it goes (default: standard output)")
      ->type_name("FILE|-");
  command
      ->add_option("--format", arguments->format, "json (default), or rspamd: its SQLite backend")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"json", "rspamd"}));
  command->add_flag("-f,--force", arguments->force, "Replace FILE if it exists");
  command->callback([arguments, &chosen] {
    chosen = [arguments](Console& console) { return run_export(*arguments, console); };
  });
}

}  // namespace shingled::milter
