#include <fmt/format.h>
#include <sysexits.h>

#include <nlohmann/json.hpp>
#include <string>

#include "config/base/clock.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/reports/report_commands.h"
#include "milter/desk/daemon_choice.h"
#include "milter/desk/report_client.h"

namespace shingled::milter::cli {

int run_reporters(ReportersArguments& arguments, Console& console) {
  const auto settings = arguments.settings.load_if_allowed(console);
  if (settings == nullptr) return EX_CONFIG;
  const SystemClock clock;
  const auto page =
      desk::ReportClient(desk::daemon_of(*settings, clock)).reporters(arguments.limit);
  if (!page) {
    console.error("reporters", page.error().message);
    return service_exit_code(page.error());
  }
  const Json list = page->value("reporters", Json::array());
  if (arguments.json) {
    for (const Json& one : list) console.json(one);
    return EX_OK;
  }
  std::vector<TableRow> rows = {
      {"reporter", "standing", "reports", "agreed", "disagreed", "reputation"}};
  for (const Json& one : list) {
    const bool named = one.contains("name") && one["name"].is_string();
    rows.push_back({terminal_safe(one.value(named ? "name" : "reporter", "")),
                    one.value("standing", ""), std::to_string(one.value("reports", 0)),
                    std::to_string(one.value("agreed", 0)),
                    std::to_string(one.value("disagreed", 0)),
                    fmt::format("{:.2f}", one.value("reputation", 0.0))});
  }
  print_table(rows, "", console);
  return EX_OK;
}

}  // namespace shingled::milter::cli
