#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sysexits.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "milter/cli/access/printing.h"
#include "milter/cli/counters/counter_commands.h"
#include "milter/cli/counters/counter_run.h"
#include "milter/view/lines/count_table.h"

namespace shingled::milter::cli {

namespace {

using storage::counters::kMeasures;
using storage::counters::kSlotsPerDay;
using storage::counters::kWindowDaysMax;
using storage::counters::Measure;
using storage::counters::Period;

/// Pieces that are asked for in one request.
constexpr std::size_t kPiecesAtOnce = 1000;
constexpr std::size_t kPieceShown = 60;

const std::vector<std::string>& shown_windows() {
  static const std::vector<std::string> windows = {"10m", "1h", "24h", "1d", "14d"};
  return windows;
}

/// "1d", "2d" ... "14d": the total of each day is the difference of two of them.
std::vector<std::string> day_windows() {
  std::vector<std::string> windows;
  for (unsigned days = 1; days <= kWindowDaysMax; ++days)
    windows.push_back(fmt::format("{}d", days));
  return windows;
}

/// The columns of a terminal on standard output; 0 if it is a file.
std::size_t terminal_width() {
  constexpr std::size_t kUsual = 80;
  if (::isatty(STDOUT_FILENO) != 1) return 0;
  winsize size{};
  const bool told = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return told ? size.ws_col : kUsual;
}

TableRow headline(std::size_t before) {
  TableRow row(before);
  row.insert(row.end(), shown_windows().begin(), shown_windows().end());
  return row;
}

Json sums_json(const desk::AskedCounter& counter) {
  Json sums = Json::object();
  for (std::size_t i = 0; i < shown_windows().size(); ++i) {
    if (!counter.lost[i]) sums[shown_windows()[i]] = desk::amounts_json(counter.sums[i]);
  }
  return sums;
}

/// A counter as JSON: direction, piece, shingle, sums.
Json counter_json(const pieces::ChosenPiece& piece, Direction direction,
                  const desk::AskedCounter& counter) {
  Json json = pieces::piece_json(piece);
  json["shingle"] = counter.shingle;
  json["space"] = std::string(to_string(direction));
  json["known"] = counter.known;
  if (counter.knows_some()) json["sums"] = sums_json(counter);
  return json;
}

class ShowRun {
 public:
  ShowRun(const ShowArguments& arguments, CounterRun& run)
      : arguments_(arguments),
        run_(run),
        directions_(CounterRun::directions_of(arguments.direction)) {}

  /// All pieces of a message in one table.
  int show_message(const std::string& title, const std::vector<pieces::ChosenPiece>& pieces) {
    std::vector<TableRow> rows = {headline(2)};
    Json list = Json::array();
    std::size_t empty = 0;
    for (std::size_t begin = 0; begin < pieces.size(); begin += kPiecesAtOnce) {
      const std::size_t end = std::min(pieces.size(), begin + kPiecesAtOnce);
      const std::span part = std::span(pieces).subspan(begin, end - begin);
      std::vector<std::vector<desk::AskedCounter>> of_direction;
      for (const Direction direction : directions_) {
        auto asked = run_.client().ask(direction, pieces_json(part), shown_windows());
        if (!asked) return run_.failed(asked.error());
        of_direction.push_back(*std::move(asked));
      }
      for (std::size_t i = 0; i < part.size(); ++i) {
        if (!add_rows(part[i], i, of_direction, rows, list)) ++empty;
      }
    }
    if (arguments_.json) {
      run_.console().json({{"file", title}, {"counters", std::move(list)}});
      return code_;
    }
    run_.console().line(
        fmt::format("{}: {}", terminal_safe(title), counted(pieces.size(), "piece", "pieces")));
    if (empty < pieces.size()) {
      print_table(rows, "  ", run_.console(), 2);
    }
    if (empty > 0) {
      run_.console().line(fmt::format("  {} without a count", counted(empty, "piece", "pieces")));
    }
    return code_;
  }

  int show_pieces(const std::vector<pieces::ChosenPiece>& pieces) {
    for (const pieces::ChosenPiece& piece : pieces) {
      bool any = false;
      for (const Direction direction : directions_) {
        if (const int code = show_counter(piece, direction, any); code != EX_OK) return code;
      }
      if (!any && !arguments_.json) {
        run_.console().line(title_of(piece, "") + ": nothing was counted");
      }
    }
    return code_;
  }

 private:
  static Json pieces_json(std::span<const pieces::ChosenPiece> pieces) {
    Json list = Json::array();
    for (const pieces::ChosenPiece& piece : pieces) list.push_back(pieces::piece_json(piece));
    return list;
  }

  static std::string title_of(const pieces::ChosenPiece& piece, const std::string& shingle) {
    const std::string text = terminal_safe(pieces::piece_text(piece));
    const bool has_shingle = !piece.shingle.empty() || shingle.empty();
    return fmt::format("{} {}{}", to_string(piece.piece.type), text,
                       has_shingle ? "" : " (" + shingle + ")");
  }

  /// The rows of one piece in both directions; false if it has no counts.
  bool add_rows(const pieces::ChosenPiece& piece, std::size_t number,
                const std::vector<std::vector<desk::AskedCounter>>& of_direction,
                std::vector<TableRow>& rows, Json& list) {
    std::vector<TableRow> found;
    for (std::size_t s = 0; s < directions_.size(); ++s) {
      const desk::AskedCounter& counter = of_direction[s][number];
      const std::string direction(to_string(directions_[s]));
      std::vector<TableRow> sums = view::sum_rows(counter.sums, counter.lost);
      if (!counter.known) {
        if (sums.empty()) found.push_back({direction, "unknown"});
        code_ = EX_UNAVAILABLE;
      }
      if (arguments_.json && (!sums.empty() || !counter.known)) {
        list.push_back(counter_json(piece, directions_[s], counter));
      }
      for (TableRow& row : sums) {
        row.insert(row.begin(), direction);
        found.push_back(std::move(row));
      }
    }
    if (found.empty()) return false;
    rows.push_back(
        {fmt::format("{} {}", to_string(piece.piece.type),
                     terminal::shortened(terminal_safe(pieces::piece_text(piece)), kPieceShown))});
    for (TableRow& row : found) row.front().insert(0, "  ");
    rows.insert(rows.end(), found.begin(), found.end());
    return true;
  }

  int show_counter(const pieces::ChosenPiece& piece, Direction direction, bool& any) {
    std::vector<std::string> windows = shown_windows();
    const auto days = day_windows();
    windows.insert(windows.end(), days.begin(), days.end());
    const Json pieces = Json::array({pieces::piece_json(piece)});
    auto asked = run_.client().ask(direction, pieces, windows);
    if (!asked) return run_.failed(asked.error());
    desk::AskedCounter counter = std::move(asked->front());
    const std::vector<Amounts> day_sums(
        counter.sums.begin() + static_cast<std::ptrdiff_t>(shown_windows().size()),
        counter.sums.end());
    counter.sums.resize(shown_windows().size());
    counter.lost.resize(shown_windows().size());
    if (!counter.known) return show_unknown(piece, direction, counter, any);
    const bool empty = view::sum_rows(counter.sums).empty();
    if (empty && !arguments_.json) return EX_OK;
    any = true;
    auto read = run_.client().history(direction, pieces.front());
    if (!read) return run_.failed(read.error());
    const view::CountHistory history{slots_of(*read), days_of(day_sums)};
    if (arguments_.json) {
      print_json(piece, direction, counter, history, read->now);
    } else {
      print_text(piece, direction, counter, history, read->now);
    }
    return EX_OK;
  }

  int show_unknown(const pieces::ChosenPiece& piece, Direction direction,
                   const desk::AskedCounter& counter, bool& any) {
    any = true;
    code_ = EX_UNAVAILABLE;
    if (arguments_.json) {
      run_.console().json(counter_json(piece, direction, counter));
    } else {
      run_.console().line(fmt::format("{}, {}: unknown{}", title_of(piece, counter.shingle),
                                      to_string(direction),
                                      counter.knows_some() ? " in some windows" : ""));
      std::vector<TableRow> rows = view::sum_rows(counter.sums, counter.lost);
      if (rows.empty()) return EX_OK;
      rows.insert(rows.begin(), headline(1));
      print_table(rows, "  ", run_.console(), 1);
    }
    return EX_OK;
  }

  /// The last 144 slots, the oldest first.
  static std::vector<Amounts> slots_of(const desk::CounterHistory& history) {
    std::vector<Amounts> slots(kSlotsPerDay);
    for (const storage::counters::Entry& entry : history.entries) {
      const std::uint32_t age = history.now - entry.period.number;
      if (entry.period.unit == Period::Unit::kSlot && age < kSlotsPerDay) {
        slots[kSlotsPerDay - 1 - age] += entry.amounts;
      }
    }
    return slots;
  }

  /// From sums over 1, 2 ... 14 days the totals of each, the oldest first.
  static std::vector<Amounts> days_of(const std::vector<Amounts>& sums) {
    std::vector<Amounts> days(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      Amounts& day = days[sums.size() - 1 - i];
      for (std::size_t m = 0; m < kMeasures; ++m) {
        const std::uint64_t newer = i == 0 ? 0 : sums[i - 1].counts[m];
        day.counts[m] = sums[i].counts[m] - std::min(sums[i].counts[m], newer);
      }
    }
    return days;
  }

  /// The numbers that are not 0, each with its name, by period.
  template <typename Take>
  static void each_name(const pieces::ChosenPiece& piece, Direction direction,
                        const std::string& shingle, const view::CountHistory& history,
                        storage::counters::Slot now, Take take) {
    storage::counters::CountName name;
    name.key = {std::stoull(shingle, nullptr, 16), piece.piece.type, direction};
    const auto tell = [&](Period::Unit unit, const std::vector<Amounts>& amounts,
                          std::uint32_t last) {
      for (std::size_t i = 0; i < amounts.size(); ++i) {
        name.period = {unit, last + 1 - static_cast<std::uint32_t>(amounts.size() - i)};
        for (std::size_t m = 0; m < kMeasures; ++m) {
          name.measure = static_cast<Measure>(m);
          if (amounts[i].counts[m] != 0) take(to_string(name), amounts[i].counts[m]);
        }
      }
    };
    tell(Period::Unit::kSlot, history.slots, now);
    tell(Period::Unit::kDay, history.days, storage::counters::day_of(now));
  }

  static bool is_shingle(const std::string& text) {
    return text.size() == 16 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
  }

  /// What people said of it in a year; nothing if nobody did, or it is not known.
  void print_people(const pieces::ChosenPiece& piece, Direction direction) {
    const std::string window = fmt::format("{}d", storage::counters::kSaidDaysMax);
    const auto said = run_.client().people(direction, Json::array({pieces::piece_json(piece)}),
                                           std::span(&window, 1));
    if (!said) return;
    for (const bool proved : {false, true}) {
      const features::Sums& sums =
          proved ? said->front().proved.front() : said->front().unproved.front();
      const std::uint64_t complainers = sums.of(Measure::kComplainers);
      const std::uint64_t rescuers = sums.of(Measure::kRescuers);
      if (complainers == 0 && rescuers == 0) continue;
      run_.console().line(fmt::format("  people in {}{}: {} complain, {} want it", window,
                                      proved ? ", of mail with a proved From" : "", complainers,
                                      rescuers));
    }
  }

  void print_json(const pieces::ChosenPiece& piece, Direction direction,
                  const desk::AskedCounter& counter, const view::CountHistory& history,
                  storage::counters::Slot now) {
    Json json = counter_json(piece, direction, counter);
    const auto by_measure = [](const std::vector<Amounts>& amounts) {
      Json object = Json::object();
      for (std::size_t m = 0; m < kMeasures; ++m) {
        const auto counts = view::counts_of(amounts, static_cast<Measure>(m));
        if (std::any_of(counts.begin(), counts.end(), [](auto count) { return count != 0; })) {
          object[std::string(to_string(static_cast<Measure>(m)))] = counts;
        }
      }
      return object;
    };
    json["slot"] = now;
    json["slots"] = by_measure(history.slots);
    json["days"] = by_measure(history.days);
    if (arguments_.names && is_shingle(counter.shingle)) {
      Json& names = json["names"] = Json::object();
      each_name(piece, direction, counter.shingle, history, now,
                [&](const std::string& name, std::uint64_t count) { names[name] = count; });
    }
    run_.console().json(json);
  }

  void print_text(const pieces::ChosenPiece& piece, Direction direction,
                  const desk::AskedCounter& counter, const view::CountHistory& history,
                  storage::counters::Slot now) {
    Console& console = run_.console();
    console.line(fmt::format("{}, {}", title_of(piece, counter.shingle), to_string(direction)));
    std::vector<TableRow> rows = {headline(1)};
    for (TableRow& row : view::sum_rows(counter.sums)) rows.push_back(std::move(row));
    print_table(rows, "  ", console, 1);
    print_people(piece, direction);
    const std::size_t width = terminal_width();
    for (const Measure measure : {Measure::kMass, Measure::kSpam, Measure::kComplaint}) {
      const bool counted = std::any_of(counter.sums.begin(), counter.sums.end(),
                                       [&](const Amounts& sum) { return sum.of(measure) != 0; });
      if (!counted) continue;
      for (const std::string& line : view::history_lines(history, measure, width))
        console.line("  " + line);
    }
    if (!arguments_.names || !is_shingle(counter.shingle)) return;
    each_name(piece, direction, counter.shingle, history, now,
              [&](const std::string& name, std::uint64_t count) {
                console.line(fmt::format("  {} {}", name, count));
              });
  }

  const ShowArguments& arguments_;
  CounterRun& run_;
  std::vector<Direction> directions_;
  int code_ = EX_OK;  ///< EX_UNAVAILABLE: a counter is not known
};

}  // namespace

int run_counter_show(ShowArguments& arguments, Console& console) {
  CounterRun run(console);
  if (const int code = run.open(arguments); code != EX_OK) return code;
  ShowRun show(arguments, run);
  return run.for_each_choice(
      arguments, [&](const std::string& title, const std::vector<pieces::ChosenPiece>& pieces) {
        return title.empty() ? show.show_pieces(pieces) : show.show_message(title, pieces);
      });
}

}  // namespace shingled::milter::cli
