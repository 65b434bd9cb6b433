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
#include "milter/cli/access/printing.h"
#include "milter/cli/counters/counter_export.h"
#include "milter/desk/counters/counter_client.h"
#include "milter/desk/counters/counter_desk.h"
#include "milter/desk/counters/counter_folder.h"
#include "milter/desk/counters/import_batch.h"
#include "milter/http/http_call.h"
#include "milter/input/message_file.h"
#include "milter/process/interrupt.h"
#include "milter/view/lines/verify_report.h"
#include "storage/formats/new_file.h"
#include "storage/model/work_watcher.h"

namespace shingled::milter::cli {

namespace {

int failed_without(const Error& error, Console& console) {
  console.clear_drawn();
  if (process::interrupted()) return process::kExitInterrupted;
  console.error("counters", error.message + "; --without-counters leaves them out");
  return service_exit_code(error);
}

}  // namespace

bool has_own_counters(const Settings& settings) {
  SystemClock clock;
  SystemRandom random;
  return settings.counters.enabled && !settings.counters.shared.enabled() &&
         desk::CounterDesk(settings, clock, random).has_counters();
}

Result<std::uint64_t> export_counters_to(const Settings& settings, const std::string& file,
                                         ProgressMeter& meter, Console& console) {
  SystemClock clock;
  SystemRandom random;
  desk::CounterDesk desk(settings, clock, random);
  desk::CounterClient client(desk);
  auto output = ExportOutput::open(file, storage::formats::NewFile::Existing::kRefuse, console);
  if (!output) return output.error();
  return export_to(client, *output, meter);
}

int verify_counters(const Settings& settings, Json* json, Console& console) {
  SystemClock clock;
  SystemRandom random;
  desk::CounterDesk desk(settings, clock, random);
  const auto report = desk::CounterClient(desk).verify();
  if (!report) return failed_without(report.error(), console);
  if (json != nullptr) {
    (*json)["counters"] = *report;
  } else {
    console.line(view::verify_line(*report));
  }
  return view::is_sound(*report) ? EX_OK : EX_DATAERR;
}

}  // namespace shingled::milter::cli
