#include "milter/cli/counters/counter_backup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sysexits.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

#include "config/base/clock.h"
#include "config/base/random.h"
#include "config/system/os_error.h"
#include "config/system/unique_fd.h"
#include "milter/cli/access/counter_client.h"
#include "milter/cli/access/counter_desk.h"
#include "milter/cli/access/counter_folder.h"
#include "milter/cli/counters/counter_export.h"
#include "milter/cli/counters/import_batch.h"
#include "milter/cli/counters/verify_report.h"
#include "milter/cli/input/message_file.h"
#include "milter/cli/terminal/exit_code.h"
#include "milter/cli/terminal/interrupt.h"
#include "milter/http/http_call.h"
#include "storage/formats/new_file.h"
#include "storage/model/work_watcher.h"

namespace shingled::milter::cli {

namespace {

int failed_without(const Error& error, Console& console) {
  console.clear_drawn();
  if (interrupted()) return kExitInterrupted;
  console.error("counters", error.message + "; --without-counters leaves them out");
  return service_exit_code(error);
}

}  // namespace

bool has_own_counters(const Settings& settings) {
  SystemClock clock;
  SystemRandom random;
  return settings.counters.enabled && !settings.counters.shared.enabled() &&
         CounterDesk(settings, clock, random).has_counters();
}

Result<std::uint64_t> export_counters_to(const Settings& settings, const std::string& file,
                                         ProgressMeter& meter, Console& console) {
  SystemClock clock;
  SystemRandom random;
  CounterDesk desk(settings, clock, random);
  CounterClient client(desk);
  auto output = ExportOutput::open(file, storage::formats::NewFile::Existing::kRefuse, console);
  if (!output) return output.error();
  return export_counters(client, *output, meter);
}

Result<std::uint64_t> import_counters_into(const CounterOptions& into, const std::string& file,
                                           ProgressMeter& meter) {
  SystemClock clock;
  SystemRandom random;
  UniqueFd fd(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0) return os_error(errno, file);
  const auto folder = CounterFolder::open(into, clock, random);
  if (!folder) return folder.error();
  ImportBatches batches([&](ImportBatches::Batch batch) {
    const http::HttpCall call{.method = http::HttpMethod::kPost,
                              .target = "/api/1/counters/import",
                              .body = std::move(batch.lines),
                              .type = "application/jsonl"};
    return (*folder)->answer(call, [](std::string_view) { return Status(); });
  });
  LineReader lines(std::move(fd));
  std::uint64_t number = 0;
  std::uint64_t imported = 0;
  for (;;) {
    const auto piece = lines.next();
    if (!piece) return piece.error().in(file);
    if (piece->bytes.empty()) break;
    if (piece->starts_line) ++number;
    std::string_view line = piece->bytes;
    while (line.ends_with('\n')) line.remove_suffix(1);
    Status taken;
    if (is_mark_line(line)) {
      taken = batches.set_mark(line);
    } else if (const auto key = read_import_line(line)) {
      ++imported;
      taken = batches.add(*key, line, number);
    } else {
      taken = Error{ErrorCode::kCorrupt, fmt::format("line {}: {}", number, key.error().message)};
    }
    if (!taken) return taken.error().in(file);
    if (!meter.report({"importing counters", lines.position(),
                       static_cast<std::uint64_t>(info.st_size), storage::WorkDone::Unit::kBytes}))
      return storage::stopped();
  }
  if (Status finished = batches.finish(); !finished) return finished.error().in(file);
  return imported;
}

int verify_counters(const Settings& settings, Json* json, Console& console) {
  SystemClock clock;
  SystemRandom random;
  CounterDesk desk(settings, clock, random);
  const auto report = CounterClient(desk).verify();
  if (!report) return failed_without(report.error(), console);
  if (json != nullptr) {
    (*json)["counters"] = *report;
  } else {
    console.line(verify_line(*report));
  }
  return is_sound(*report) ? EX_OK : EX_DATAERR;
}

}  // namespace shingled::milter::cli
