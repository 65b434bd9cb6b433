#include <fmt/format.h>
#include <sysexits.h>

#include <CLI/CLI.hpp>

#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/cli/commands/commands.h"
#include "milter/desk/servers/storage_choice.h"
#include "milter/transfer/hash_line.h"
#include "milter/transfer/hash_source.h"
#include "storage/redis/hashes/transfer.h"
#include "storage/sqlite/hashes/fuzzy_table.h"
#include "storage/sqlite/hashes/rspamd_file.h"

namespace shingled::milter::cli {

namespace {

constexpr std::size_t kWriteBytes = 256UL * 1024;

struct ExportArguments {
  SettingsArguments settings;
  std::string file = "-";
  std::string format = "json";
  std::string from_redis;
  bool force = false;
};

struct ExportCounts {
  std::uint64_t hashes = 0;
  std::uint64_t more_lists = 0;  ///< hashes on more than one list
};

/// Gives every hash of the source to `take`.
Status for_each_row(const transfer::HashSource& source, const transfer::TakeRow& take,
                    ExportCounts& counts, ProgressMeter& meter) {
  return source.read([&](const storage::sqlite::FuzzyRow& row) -> Status {
    if (Status taken = take(row); !taken) return taken;
    if (row.flags.size() > 1) ++counts.more_lists;
    if (++counts.hashes % storage::kWatchEvery == 0 &&
        !meter.report({"writing hashes", counts.hashes, source.total.value_or(0)})) {
      return storage::stopped();
    }
    return {};
  });
}

Status export_lines(const transfer::HashSource& source, ExportOutput& output, ExportCounts& counts,
                    ProgressMeter& meter) {
  std::string lines = transfer::hash_lines_header(source.total) + "\n";
  const auto take = [&](const storage::sqlite::FuzzyRow& row) -> Status {
    transfer::append_hash_line(lines, row);
    if (lines.size() < kWriteBytes) return {};
    Status written = output.write(lines);
    lines.clear();
    return written;
  };
  if (Status all = for_each_row(source, take, counts, meter); !all) return all;
  if (!lines.empty()) {
    if (Status written = output.write(lines); !written) return written;
  }
  return output.finish();
}

Status export_rspamd(const transfer::HashSource& source, storage::formats::NewFile& file,
                     ExportCounts& counts, ProgressMeter& meter) {
  const auto writer = storage::sqlite::RspamdWriter::create(file.part());
  if (!writer) return writer.error();
  const auto take = [&](const storage::sqlite::FuzzyRow& row) { return (*writer)->insert(row); };
  if (Status all = for_each_row(source, take, counts, meter); !all) return all;
  if (Status built = (*writer)->finish(meter.watcher()); !built) return built;
  return file.commit();
}

/// Tells on the error stream which hashes of Redis are not in the export, which may go to standard
/// output.
void note_report(const storage::redis::DumpReport& report, Console& console) {
  if (report.broken != 0) {
    console.note(fmt::format("shingled: {} left out: without flag and value, or deleted meanwhile",
                             counted(report.broken, "record was", "records were")));
  }
  if (report.lost_slots != 0) {
    console.note(fmt::format("shingled: {} had lost shingles to likenesses, {} too many to match",
                             counted(report.lost_slots, "hash", "hashes"), report.lost_hashes));
  }
}

int run_export(const ExportArguments& arguments, Console& console) {
  const auto settings = arguments.settings.load(console);
  if (!settings) return EX_CONFIG;
  const bool rspamd = arguments.format == "rspamd";
  if (rspamd && arguments.file == "-") {
    console.error("export", "--format rspamd writes a database: give FILE");
    return EX_USAGE;
  }
  using Existing = storage::formats::NewFile::Existing;
  const Existing existing = arguments.force ? Existing::kReplace : Existing::kRefuse;
  SystemClock clock;
  ProgressMeter meter(console, clock);
  NullLogger logger;
  storage::redis::DumpReport report;
  const auto redis = desk::redis_choice(arguments.from_redis, settings->storage);
  if (!redis) {
    console.error("export", "--from-redis " + redis.error().message);
    return EX_USAGE;
  }
  const auto stored = desk::database_file(settings->storage, "--from-redis");
  if (!*redis && !stored) {
    console.error("export", stored.error().message);
    return EX_USAGE;
  }
  const auto source = *redis ? Result<transfer::HashSource>(transfer::read_redis(
                                   **redis, report, meter.watcher(), clock, logger))
                             : transfer::read_file(*stored);
  if (!source) return meter.failed("export", source.error());
  const auto cannot_create = [&](const Error& error) {
    console.error("export", error.message);
    return EX_CANTCREAT;
  };
  ExportCounts counts;
  Status done;
  if (rspamd) {
    auto file = storage::formats::NewFile::create(arguments.file, existing);
    if (!file) return cannot_create(file.error());
    done = export_rspamd(*source, *file, counts, meter);
  } else {
    auto output = ExportOutput::open(arguments.file, existing, console);
    if (!output) return cannot_create(output.error());
    done = export_lines(*source, *output, counts, meter);
  }
  if (console.broken()) return EX_IOERR;  // ~ the caller reports it
  if (!done) return meter.failed("export", done.error());
  note_report(report, console);
  if (arguments.file == "-") return EX_OK;
  console.line(fmt::format("{}: {}", terminal_safe(arguments.file),
                           counted(counts.hashes, "hash", "hashes")));
  if (rspamd && counts.more_lists != 0) {
    console.note(fmt::format("shingled: {} on more than one list; rspamd keeps only the heaviest",
                             counted(counts.more_lists, "hash is", "hashes are")));
  }
  return EX_OK;
}

}  // namespace

void add_export_command(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("export", "Write all hashes as JSON Lines, or as a database for rspamd");
  command->footer(
      R"(Works while the daemon is running and shows the hashes of one moment. FILE appears only when it is
complete. storage/SCHEMA.md describes the lines. --format rspamd keeps the heaviest list of each hash
with its weight, time and shingles; a shingle that several hashes share goes to the newest of them, as
in rspamd.

Example:
  shingled export hashes.jsonl)");
  const auto arguments = std::make_shared<ExportArguments>();
  arguments->settings.add_to(*command);
  command->add_option("file", arguments->file, "File to write (default: standard output)")
      ->type_name("FILE|-");
  command
      ->add_option("--format", arguments->format, "json (default), or rspamd: its SQLite backend")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"json", "rspamd"}));
  command
      ->add_option("--from-redis", arguments->from_redis,
                   "Read from this Redis database (default with backend redis: storage.redis)")
      ->type_name("URL");
  command->add_flag("-f,--force", arguments->force, "Replace FILE if it exists");
  when_asked(*command, chosen, arguments, run_export);
}

}  // namespace shingled::milter::cli
