#include "milter/cli/counters/counter_backup.h"

#include <fmt/format.h>
#include <sysexits.h>

#include <nlohmann/json.hpp>

#include "config/base/clock.h"
#include "config/base/random.h"
#include "milter/cli/access/counter_client.h"
#include "milter/cli/access/counter_desk.h"
#include "milter/cli/counters/counter_export.h"
#include "milter/cli/counters/verify_report.h"
#include "milter/cli/terminal/exit_code.h"
#include "milter/cli/terminal/interrupt.h"

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

int back_up_counters(const Settings& settings, const std::string& file,
                     storage::formats::NewFile::Existing existing, ProgressMeter& meter,
                     Console& console) {
  SystemClock clock;
  SystemRandom random;
  CounterDesk desk(settings, clock, random);
  CounterClient client(desk);
  auto output = ExportOutput::open(file, existing, console);
  if (!output) {
    console.error("backup", output.error().message);
    return EX_CANTCREAT;
  }
  const auto numbers = export_counters(client, *output, meter);
  if (!numbers) return failed_without(numbers.error(), console);
  console.line(fmt::format("{}: {} of the counters", terminal_safe(file),
                           counted(*numbers, "number", "numbers")));
  return EX_OK;
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
