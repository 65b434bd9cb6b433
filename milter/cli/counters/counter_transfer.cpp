#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "config/system/os_error.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/counters/counter_commands.h"
#include "milter/cli/counters/counter_export.h"
#include "milter/cli/counters/counter_run.h"
#include "milter/desk/counters/import_batch.h"
#include "milter/input/message_file.h"
#include "milter/process/interrupt.h"

namespace shingled::milter::cli {

namespace {

constexpr std::size_t kBadLinesTold = 10;

/// Whether a file begins as those of gzip do. It stays at its beginning; of a pipe nothing is
/// known.
bool is_gzip(int fd) {
  std::array<unsigned char, 2> mark{};
  return ::pread(fd, mark.data(), mark.size(), 0) == std::ssize(mark) && mark[0] == 0x1F &&
         mark[1] == 0x8B;
}

/// One import.
class ImportRun {
 public:
  ImportRun(const CounterImportArguments& arguments, CounterRun& run)
      : arguments_(arguments),
        run_(run),
        meter_(run.console(), run.clock()),
        batches_([this](desk::ImportBatches::Batch batch) { return send(std::move(batch)); }) {}

  int run() {
    auto fd = open();
    if (!fd) {
      run_.console().error(arguments_.file, fd.error().message);
      return exit_code(fd.error().code);
    }
    input::LineReader lines(*std::move(fd));
    Status read = read_all(lines);
    if (read) read = batches_.finish();
    if (read) return tell();
    run_.console().clear_drawn();
    if (!process::interrupted()) run_.console().error(arguments_.file, read.error().message);
    run_.console().note(where_it_stopped(read.error().code));
    if (process::interrupted()) return process::kExitInterrupted;
    // What the daemon refuses is wrong in the file, not in the call.
    const bool bad_file = read.error().code == ErrorCode::kInvalid;
    return bad_file ? EX_DATAERR : service_exit_code(read.error());
  }

 private:
  Result<UniqueFd> open() {
    UniqueFd fd(arguments_.file == "-" ? ::dup(STDIN_FILENO)
                                       : ::open(arguments_.file.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (!fd || ::fstat(fd.get(), &status) != 0) {
      return os_error(ErrorCode::kNotFound, errno, "cannot be read");
    }
    if (S_ISDIR(status.st_mode)) return Error{ErrorCode::kInvalid, "is a directory"};
    if (is_gzip(fd.get())) {
      return Error{ErrorCode::kInvalid, "is compressed; use zcat FILE | shingled counters import"};
    }
    total_bytes_ = S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
    return fd;
  }

  Status read_all(input::LineReader& lines) {
    for (;;) {
      auto piece = lines.next();
      if (!piece) return piece.error();
      if (piece->bytes.empty()) return {};
      if (!piece->starts_line) continue;  // of a line that is too long, and was reported
      ++number_;
      if (!meter_.report(
              {"importing", lines.position(), total_bytes_, storage::WorkDone::Unit::kBytes})) {
        return storage::stopped();
      }
      if (Status taken = take(piece->bytes); !taken) return taken;
    }
  }

  Status take(std::string_view line) {
    while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
    if (desk::is_mark_line(line)) return batches_.set_mark(line);
    if (number_ < arguments_.from_line || line.empty()) return {};
    const auto key = desk::read_import_line(line);
    if (!key) {
      bad_line(key.error().message);
      return {};
    }
    ++lines_;
    return batches_.add(*key, line, number_);
  }

  void bad_line(std::string_view why) {
    if (++broken_ <= kBadLinesTold) {
      run_.console().error(fmt::format("{}:{}", arguments_.file, number_), why);
    }
  }

  Status send(desk::ImportBatches::Batch batch) {
    const std::uint64_t first = batch.first;
    const std::uint64_t next = batch.next;
    const auto imported = run_.client().import_from(std::move(batch.lines));
    if (!imported) {
      return Error{imported.error().code,
                   fmt::format("lines {} to {}: {}", first, next - 1, imported.error().message)};
    }
    counters_ += *imported;
    done_until_ = next;
    return {};
  }

  [[nodiscard]] std::string where_it_stopped(ErrorCode code) const {
    const std::uint64_t next = std::max(done_until_, arguments_.from_line);
    if (code == ErrorCode::kTimeout || code == ErrorCode::kCorrupt) {
      return fmt::format(
          "Lines before {} are imported, the next ones perhaps: without an answer nobody knows.",
          next);
    }
    if (done_until_ == 0) return "Nothing was imported.";
    return fmt::format("Lines before {} are imported; go on with --from-line {}.", next, next);
  }

  int tell() {
    Console& console = run_.console();
    console.clear_drawn();
    if (!batches_.has_mark() && lines_ > 0) {
      console.note(
          "No line says with which key this was exported. If it was another one than that of "
          "counters.key_file, none of these counters can be found.");
    }
    if (broken_ > kBadLinesTold) {
      console.note(fmt::format("and {} more broken lines", broken_ - kBadLinesTold));
    }
    if (arguments_.json) {
      console.json({{"file", arguments_.file},
                    {"lines", lines_},
                    {"counters", counters_},
                    {"broken", broken_}});
    } else {
      console.line(fmt::format("{}: {} of {} imported{}", terminal_safe(arguments_.file),
                               counted(lines_, "number", "numbers"),
                               counted(counters_, "counter", "counters"),
                               broken_ == 0 ? "" : fmt::format(", {} broken", broken_)));
    }
    return broken_ == 0 ? EX_OK : EX_DATAERR;
  }

  const CounterImportArguments& arguments_;
  CounterRun& run_;
  ProgressMeter meter_;
  desk::ImportBatches batches_;
  std::uint64_t total_bytes_ = 0;
  std::uint64_t number_ = 0;  ///< of the line that is read
  std::uint64_t lines_ = 0;
  std::uint64_t counters_ = 0;
  std::uint64_t broken_ = 0;
  std::uint64_t done_until_ = 0;  ///< the lines before it are imported
};

}  // namespace

int run_counter_export(CounterExportArguments& arguments, Console& console) {
  CounterRun run(console);
  if (const int code = run.open(arguments); code != EX_OK) return code;
  ProgressMeter meter(console, run.clock());
  const auto existing = arguments.force ? storage::formats::NewFile::Existing::kReplace
                                        : storage::formats::NewFile::Existing::kRefuse;
  auto output = ExportOutput::open(arguments.file, existing, console);
  if (!output) {
    console.error("counters", output.error().message);
    return EX_CANTCREAT;
  }
  const auto written = export_to(run.client(), *output, meter);
  if (!written) {
    console.clear_drawn();
    if (process::interrupted()) return process::kExitInterrupted;
    if (console.broken()) return EX_IOERR;  // the caller reports it
    return run.failed(written.error());
  }
  if (arguments.file == "-") return EX_OK;
  if (arguments.json) {
    console.json({{"file", arguments.file}, {"lines", *written}});
  } else {
    console.line(fmt::format("{}: {}", terminal_safe(arguments.file),
                             counted(*written, "number", "numbers")));
  }
  return EX_OK;
}

int run_counter_import(CounterImportArguments& arguments, Console& console) {
  CounterRun run(console);
  if (const int code = run.open(arguments); code != EX_OK) return code;
  return ImportRun(arguments, run).run();
}

}  // namespace shingled::milter::cli
