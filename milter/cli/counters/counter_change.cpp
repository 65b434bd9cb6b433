#include <fmt/format.h>
#include <sysexits.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "milter/cli/access/printing.h"
#include "milter/cli/counters/counter_commands.h"
#include "milter/cli/counters/counter_run.h"

namespace shingled::milter::cli {

namespace {

/// Below the bounds on the keys of an addition and on the body of a request.
constexpr std::size_t kChangedAtOnce = 1000;

std::string title_or(const std::string& title, const std::vector<pieces::ChosenPiece>& pieces) {
  if (!title.empty()) return terminal_safe(title);
  return fmt::format("{} {}", to_string(pieces.front().piece.type),
                     terminal_safe(pieces::piece_text(pieces.front())));
}

/// Calls `change` with parts of the pieces as JSON and adds up what it returns.
template <typename Change>
Result<std::uint64_t> in_parts(const std::vector<pieces::ChosenPiece>& pieces, Change change) {
  std::uint64_t sum = 0;
  for (std::size_t begin = 0; begin < pieces.size(); begin += kChangedAtOnce) {
    Json part = Json::array();
    const std::size_t end = std::min(pieces.size(), begin + kChangedAtOnce);
    for (std::size_t i = begin; i < end; ++i) part.push_back(pieces::piece_json(pieces[i]));
    const Result<std::uint64_t> count = change(part);
    if (!count) return count.error();
    sum += *count;
  }
  return sum;
}

/// A unique counter grows by its pair, never by itself.
std::vector<pieces::ChosenPiece> without_uniques(const std::vector<pieces::ChosenPiece>& pieces) {
  std::vector<pieces::ChosenPiece> out;
  std::copy_if(pieces.begin(), pieces.end(), std::back_inserter(out),
               [](const pieces::ChosenPiece& piece) { return !is_unique(piece.piece.type); });
  return out;
}

}  // namespace

int run_counter_add(CounterAddArguments& arguments, Console& console) {
  CounterRun run(console);
  if (arguments.amounts.is_zero()) {
    return run.wrong_usage("add", "give an amount: --mass 1, --spam 1 ...");
  }
  if (const int code = run.open(arguments); code != EX_OK) return code;
  const Direction direction =
      arguments.direction == to_string(Direction::kOut) ? Direction::kOut : Direction::kIn;
  return run.for_each_choice(
      arguments, [&](const std::string& title, const std::vector<pieces::ChosenPiece>& chosen) {
        const auto pieces = without_uniques(chosen);
        if (pieces.empty() && !chosen.empty()) {
          return run.wrong_usage(std::string(to_string(chosen.front().piece.type)),
                                 "grows by its pair alone; add to the pair");
        }
        const auto added = in_parts(pieces, [&](const Json& part) {
          return run.client().add(direction, part, arguments.amounts);
        });
        if (!added) return run.failed(added.error());
        if (arguments.json) {
          console.json({{"file", title.empty() ? Json(nullptr) : Json(title)}, {"added", *added}});
        } else {
          console.line(fmt::format("{}: added to {}", title_or(title, chosen),
                                   counted(*added, "counter", "counters")));
        }
        return EX_OK;
      });
}

int run_counter_forget(ForgetArguments& arguments, Console& console) {
  CounterRun run(console);
  if (const int code = run.open(arguments); code != EX_OK) return code;
  std::optional<Direction> direction;
  if (!arguments.direction.empty())
    direction = CounterRun::directions_of(arguments.direction).front();
  return run.for_each_choice(arguments, [&](const std::string& title,
                                            const std::vector<pieces::ChosenPiece>& pieces) {
    if (arguments.dry_run) {
      for (const pieces::ChosenPiece& piece : pieces) {
        if (arguments.json) {
          console.json(pieces::piece_json(piece));
        } else {
          console.line(fmt::format("{} {}", to_string(piece.piece.type),
                                   terminal_safe(pieces::piece_text(piece))));
        }
      }
      return EX_OK;
    }
    const auto gone =
        in_parts(pieces, [&](const Json& part) { return run.client().forget(direction, part); });
    if (!gone) return run.failed(gone.error());
    if (arguments.json) {
      console.json({{"file", title.empty() ? Json(nullptr) : Json(title)}, {"forgotten", *gone}});
    } else if (!pieces.empty()) {
      console.line(fmt::format("{}: {} forgotten", title_or(title, pieces),
                               counted(*gone, "counter", "counters")));
    }
    return EX_OK;
  });
}

}  // namespace shingled::milter::cli
