#include <fmt/format.h>
#include <sysexits.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "milter/cli/access/printing.h"
#include "milter/cli/counters/counter_commands.h"
#include "milter/cli/counters/counter_run.h"
#include "milter/view/lines/count_table.h"
#include "storage/counters/counter.h"

namespace shingled::milter::cli {

namespace {

constexpr std::size_t kTopPieceShown = 70;

Json top_json(const desk::TopCounter& counter, bool rising) {
  Json json = {{"space", counter.direction},
               {"type", counter.type},
               {"shingle", counter.shingle},
               {"piece", counter.piece ? Json(*counter.piece) : Json(nullptr)},
               {"count", counter.count}};
  if (rising) json["before"] = counter.before;
  return json;
}

/// "12 → 40" in two columns, or the count; then direction, type and piece.
TableRow top_row(const desk::TopCounter& counter, bool rising) {
  TableRow row;
  if (rising) row.push_back(fmt::format("{} →", counter.before));
  row.push_back(std::to_string(counter.count));
  row.push_back(counter.direction);
  row.push_back(terminal_safe(counter.type));
  row.push_back(counter.piece ? terminal::shortened(terminal_safe(*counter.piece), kTopPieceShown)
                              : "shingle " + terminal_safe(counter.shingle));
  return row;
}

/// Numbers to the right, words to the left.
std::vector<std::string> top_lines(const std::vector<desk::TopCounter>& counters, bool rising) {
  std::vector<TableRow> rows;
  rows.reserve(counters.size());
  for (const desk::TopCounter& counter : counters) rows.push_back(top_row(counter, rising));
  const std::size_t numbers = rising ? 2 : 1;
  std::vector<TableRow> left;
  std::vector<TableRow> right;
  for (const TableRow& row : rows) {
    const auto middle = row.begin() + static_cast<std::ptrdiff_t>(numbers);
    left.emplace_back(row.begin(), middle).insert(left.back().begin(), "");
    right.emplace_back(middle, row.end());
  }
  auto lines = table_lines(left, "", 1);
  const auto words = table_lines(right, "  ");
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i] += words[i];
  return lines;
}

}  // namespace

int run_counter_top(TopArguments& arguments, Console& console) {
  CounterRun run(console);
  desk::TopQuestion question{.measure = *storage::counters::parse_measure(arguments.measure),
                             .window = arguments.window,
                             .rising = arguments.rising,
                             .most = arguments.limit};
  if (const auto window = storage::counters::parse_window(arguments.window); !window) {
    return run.wrong_usage("--window", window.error().message);
  }
  if (!arguments.direction.empty())
    question.direction = CounterRun::directions_of(arguments.direction).front();
  if (!arguments.type.empty()) {
    const pieces::PieceWords words{.words = {arguments.type}};
    if (!pieces::names_type(words)) {
      return run.wrong_usage("--type", terminal_safe(arguments.type) + " is not a type of pieces" +
                                           pieces::meant_type(arguments.type));
    }
    question.type = pieces::number_of_type(arguments.type);
  }
  if (const int code = run.open(arguments); code != EX_OK) return code;
  const auto counters = run.client().top(question);
  if (!counters) return run.failed(counters.error());
  if (arguments.json) {
    for (const desk::TopCounter& counter : *counters)
      console.json(top_json(counter, arguments.rising));
    return EX_OK;
  }
  for (const std::string& line : top_lines(*counters, arguments.rising)) console.line(line);
  if (counters->empty()) console.note("nothing was counted in this window");
  const bool nameless = std::none_of(counters->begin(), counters->end(),
                                     [](const desk::TopCounter& counter) { return counter.piece; });
  if (!counters->empty() && nameless) {
    console.note(
        run.settings().counters.names
            ? "No name is known: only pieces that came often get one (counters.names_mass), since "
              "counters.names is on."
            : "Shingles are keyed hashes, so only names that are kept can be shown: counters: "
              "{names: yes} keeps the texts of frequent pieces from then on. `shingled counters "
              "show "
              "TYPE PIECE` asks for a piece that you know.");
  }
  return EX_OK;
}

}  // namespace shingled::milter::cli
