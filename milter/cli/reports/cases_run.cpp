#include <fmt/format.h>
#include <sysexits.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/words/units.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/reports/report_commands.h"
#include "milter/desk/daemon_choice.h"
#include "milter/desk/report_client.h"

namespace shingled::milter::cli {

namespace {

std::string joined(const Json& list) {
  std::string out;
  for (const Json& one : list) out += (out.empty() ? "" : ", ") + one.get<std::string>();
  return terminal_safe(out);
}

std::string day_text(std::int64_t time) {
  const std::chrono::sys_days day =
      std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds(std::chrono::seconds(time)));
  const std::chrono::year_month_day date(day);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

TableRow case_row(const Json& one) {
  const auto number = [&](const char* name) { return std::to_string(one.value(name, 0)); };
  return {terminal_safe(one.value("id", "")),
          one.value("effect", ""),
          number("spam"),
          number("ham"),
          number("newcomers"),
          number("messages"),
          number("hashes"),
          joined(one.value("lists", Json::array())),
          day_text(one.value("last", std::int64_t{0}))};
}

void print_people(const Json& people, Console& console) {
  std::vector<TableRow> rows = {{"reporter", "standing", "says"}};
  for (const Json& person : people) {
    const bool named = person.contains("name") && person["name"].is_string();
    rows.push_back({terminal_safe(person.value(named ? "name" : "reporter", "")),
                    person.value("standing", ""), person.value("says", "")});
  }
  if (rows.size() > 1) print_table(rows, "  ", console);
}

int failed(const Error& error, Console& console) {
  console.error("cases", error.message);
  if (error.code == ErrorCode::kNotFound) return EX_DATAERR;
  return error.code == ErrorCode::kInvalid ? EX_USAGE : service_exit_code(error);
}

const std::vector<TableRow> kCaseHead = {
    {"case", "effect", "spam", "wanted", "newcomers", "messages", "hashes", "lists", "last"}};

int show_one(const CasesArguments& arguments, const desk::ReportClient& client, Console& console) {
  const auto one = client.one_case(arguments.id, arguments.ruling, arguments.names);
  if (!one) return failed(one.error(), console);
  if (arguments.json) {
    console.json(*one);
    return EX_OK;
  }
  std::vector<TableRow> rows = kCaseHead;
  rows.push_back(case_row(*one));
  print_table(rows, "", console);
  print_people(one->value("people", Json::array()), console);
  for (const Json& hash : one->value("digests", Json::array())) {
    console.line(fmt::format("  {}  list {}, weight {}{}", terminal_safe(hash.value("digest", "")),
                             hash.value("flag", 0), hash.value("weight", 0),
                             hash.value("closed", false) ? ", closed" : ""));
  }
  return EX_OK;
}

int list_all(const CasesArguments& arguments, std::int64_t since, const desk::ReportClient& client,
             Console& console) {
  const auto page = client.cases(since, arguments.limit, arguments.names);
  if (!page) return failed(page.error(), console);
  const Json list = page->value("cases", Json::array());
  if (arguments.json) {
    for (const Json& one : list) console.json(one);
    return EX_OK;
  }
  if (!arguments.names) {
    std::vector<TableRow> rows = kCaseHead;
    for (const Json& one : list) rows.push_back(case_row(one));
    print_table(rows, "", console);
    return EX_OK;
  }
  for (const Json& one : list) {
    std::vector<TableRow> rows = kCaseHead;
    rows.push_back(case_row(one));
    print_table(rows, "", console);
    print_people(one.value("people", Json::array()), console);
  }
  return EX_OK;
}

}  // namespace

int run_cases(CasesArguments& arguments, Console& console) {
  const auto settings = arguments.settings.load_if_allowed(console);
  if (settings == nullptr) return EX_CONFIG;
  const SystemClock clock;
  const desk::ReportClient client(desk::daemon_of(*settings, clock));
  if (!arguments.id.empty()) return show_one(arguments, client, console);
  const auto age = config::parse_duration(arguments.since);
  if (!age) {
    console.error("cases", "--since: takes a time such as 14d or 6h");
    return EX_USAGE;
  }
  const std::int64_t now = unix_seconds(clock.wall());
  const std::int64_t since = std::max<std::int64_t>(
      now - std::chrono::duration_cast<std::chrono::seconds>(*age).count(), 0);
  return list_all(arguments, since, client, console);
}

}  // namespace shingled::milter::cli
