#include <algorithm>

#include "config/sections/sections.h"
#include "config/words/units.h"

namespace shingled::config {

namespace {

constexpr std::uint64_t kHistoryBytesLeast = std::uint64_t{1} << 20;
constexpr std::uint64_t kHistoryBytesMost = std::uint64_t{1} << 50;
constexpr std::size_t kHistoryWindowsMax = 16;  // each costs time and space for every message
constexpr std::string_view kWindowForm =
    "10m to 24h in steps of ten minutes, or 1d to 14d, each once";

/// "90m" is nine periods of ten minutes, "14d" fourteen days of the calendar. One number with one
/// unit, as in the rules.
bool is_window(std::string_view text) {
  using std::chrono::hours;
  using std::chrono::minutes;
  if (text.find_first_not_of("0123456789") != text.size() - 1) return false;
  if (std::string_view("mhd").find(text.back()) == std::string_view::npos) return false;
  const auto time = parse_duration(text);
  if (!time || *time < minutes(10) || *time % minutes(10) != minutes(0)) return false;
  return text.back() == 'd' ? *time <= hours(24 * 14) : *time <= hours(24);
}

/// "60m" is "1h", but "24h" is not "1d".
bool is_same_window(std::string_view a, std::string_view b) {
  return (a.back() == 'd') == (b.back() == 'd') && *parse_duration(a) == *parse_duration(b);
}

void load_windows(Section& section, std::vector<std::string>& out) {
  const auto field = section.field("windows");
  if (!field) return;
  out.clear();
  if (field->is_null()) return;
  for (const Field& item : field->list()) {
    const auto text = item.scalar(kWindowForm);
    if (!text) continue;
    if (!is_window(*text)) {
      item.refuse("not a window", kWindowForm);
    } else if (std::ranges::any_of(
                   out, [&](const std::string& one) { return is_same_window(one, *text); })) {
      item.refuse("given twice", kWindowForm);
    } else if (out.size() == kHistoryWindowsMax) {
      item.problem("exceeds the limit", "at most " + std::to_string(kHistoryWindowsMax));
      return;
    } else {
      out.emplace_back(*text);
    }
  }
}

}  // namespace

void load_history(Section&& section, HistoryOptions& out) {
  using std::chrono::hours;
  using std::chrono::seconds;
  section.boolean("enabled", out.enabled);
  section.path_or_empty("file", out.file);
  section.duration<seconds>("keep", out.keep, {hours(1), hours(24 * 365)});
  section.size("bytes_max", out.bytes_max, {kHistoryBytesLeast, kHistoryBytesMost});
  load_windows(section, out.windows);
  if (out.enabled && out.file.empty()) {
    section.problem("file",
                    "there is no history without it; allowed: an absolute path, or "
                    "history.enabled: false");
  }
}

}  // namespace shingled::config
