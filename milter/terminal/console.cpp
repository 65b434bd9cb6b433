#include "milter/terminal/console.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

namespace shingled::milter::terminal {

void Console::line(std::string_view text) {
  clear_drawn();
  out_ << text << '\n';
}

void Console::json(const Json& object) {
  line(terminal_safe_json(object.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

void Console::error(std::string_view what, std::string_view why) {
  note(fmt::format("shingled: {}: {}", terminal_safe(what), terminal_safe(why)));
}

void Console::note(std::string_view text) {
  clear_drawn();
  out_.flush();  // on a terminal the streams meet: keep their order
  err_ << text << std::endl;
}

void Console::draw(std::string_view text) {
  err_ << '\r' << text << "\x1b[K" << std::flush;
  drawn_ = true;
}

void Console::clear_drawn() {
  if (!drawn_) return;
  err_ << "\r\x1b[K" << std::flush;
  drawn_ = false;
}

bool Console::broken() { return !out_.flush(); }

namespace {
bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

}  // namespace

std::vector<std::string> table_lines(const std::vector<TableRow>& rows, std::string_view indent,
                                     std::size_t words) {
  const auto widens = [&](const TableRow& row) { return words == SIZE_MAX || row.size() > 1; };
  std::vector<std::size_t> widths;
  for (const TableRow& row : rows) {
    if (!widens(row)) continue;
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::vector<std::string> lines;
  for (const TableRow& row : rows) {
    std::string line(indent);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t gap = widens(row) ? widths[i] - width_of(row[i]) : 0;
      if (i > 0) line += "  ";
      if (i >= words) line.append(gap, ' ');
      line += row[i];
      if (i < words) line.append(gap, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

void print_table(const std::vector<TableRow>& rows, std::string_view indent, Console& console,
                 std::size_t words) {
  for (const std::string& line : table_lines(rows, indent, words)) console.line(line);
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string shortened(std::string_view text, std::size_t characters) {
  if (width_of(text) <= characters) return std::string(text);
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end) {
    if (begins_character(text[end]) && ++seen == characters) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace shingled::milter::terminal
