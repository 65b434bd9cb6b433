#include <fmt/format.h>
#include <sysexits.h>

#include <nlohmann/json.hpp>

#include "milter/cli/access/printing.h"
#include "milter/cli/counters/counter_commands.h"
#include "milter/cli/counters/counter_run.h"
#include "milter/desk/daemon_choice.h"
#include "milter/view/lines/status_lines.h"
#include "milter/view/lines/verify_report.h"

namespace shingled::milter::cli {

namespace {
constexpr std::string_view kCounterMetrics = "shingled_counters_";
}  // namespace

int run_counter_stat(CounterArguments& arguments, Console& console) {
  CounterRun run(console);
  if (const int code = run.open(arguments); code != EX_OK) return code;
  const auto page = desk::daemon_of(run.settings(), run.clock()).get("/stat");
  if (!page) {
    console.error("counters", "only the running daemon knows: " + page.error().message);
    return service_exit_code(page.error());
  }
  Json shown = *page;
  shown["metrics"] = Json::object();
  const auto metrics = page->find("metrics");
  if (metrics != page->end() && metrics->is_object()) {
    for (const auto& [name, samples] : metrics->items()) {
      if (name.starts_with(kCounterMetrics)) shown["metrics"][name] = samples;
    }
  }
  if (arguments.json) {
    console.json(shown);
    return EX_OK;
  }
  for (const std::string& line : view::status_lines(shown, FlagMap())) console.line(line);
  if (shown["metrics"].empty()) console.note("this daemon does not count (counters.enabled)");
  return EX_OK;
}

int run_counter_verify(CounterVerifyArguments& arguments, Console& console) {
  CounterRun run(console);
  if (const int code = run.open(arguments); code != EX_OK) return code;
  const auto report = run.client().verify(arguments.repair);
  if (!report) return run.failed(report.error());
  if (arguments.json) {
    console.json(*report);
  } else {
    console.line(view::verify_line(*report));
  }
  return view::is_sound(*report) ? EX_OK : EX_DATAERR;
}

}  // namespace shingled::milter::cli
