#include "milter/counters/mail_date.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "config/base/ascii.h"
#include "config/base/number_text.h"

namespace shingled::milter::counters {

namespace {

constexpr std::size_t kDateBytesMax = 256;
constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};

/// The words of a date in lower case, without comments and commas.
std::vector<std::string> date_words(std::string_view text) {
  std::vector<std::string> words(1);
  std::size_t depth = 0;
  for (const char c : text.substr(0, kDateBytesMax)) {
    if (c == '(') ++depth;
    const bool ends = depth > 0 || c == ',' || ascii::is_space(c);
    if (c == ')' && depth > 0) --depth;
    if (!ends) {
      words.back() += ascii::to_lower(c);
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::optional<int> parse_year(std::string_view word) {
  const auto year = parse_whole<int>(word, 0, 9999);
  if (!year || word.size() < 2) return std::nullopt;
  if (word.size() > 3) return year;
  const bool this_century = word.size() == 2 && *year < 50;
  return *year + (this_century ? 2000 : 1900);
}

/// "10:00" or "10:00:00".
std::optional<std::chrono::seconds> parse_time(std::string_view word) {
  std::array<int, 3> parts{};
  std::size_t count = 0;
  while (count < parts.size()) {
    const std::size_t colon = word.find(':');
    const auto number = parse_whole<int>(word.substr(0, colon), 0, count == 0 ? 23 : 60);
    if (!number) return std::nullopt;
    parts[count++] = *number;
    if (colon == std::string_view::npos) break;
    word.remove_prefix(colon + 1);
    if (count == parts.size()) return std::nullopt;
  }
  if (count < 2) return std::nullopt;
  return std::chrono::hours(parts[0]) + std::chrono::minutes(parts[1]) +
         std::chrono::seconds(parts[2]);
}

/// The offset from UTC; an unknown name counts as UTC (RFC 5322 4.3).
std::chrono::minutes zone_of(std::string_view word) {
  struct Zone {
    std::string_view name;
    int hours;
  };
  constexpr std::array<Zone, 8> kZones = {{{"est", -5},
                                           {"edt", -4},
                                           {"cst", -6},
                                           {"cdt", -5},
                                           {"mst", -7},
                                           {"mdt", -6},
                                           {"pst", -8},
                                           {"pdt", -7}}};
  for (const Zone& zone : kZones) {
    if (zone.name == word) return std::chrono::hours(zone.hours);
  }
  if (word.size() != 5 || (word[0] != '+' && word[0] != '-')) return std::chrono::minutes(0);
  const auto hours = parse_whole<int>(word.substr(1, 2), 0, 99);
  const auto minutes = parse_whole<int>(word.substr(3, 2), 0, 59);
  if (!hours || !minutes) return std::chrono::minutes(0);
  const std::chrono::minutes offset = std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
  return word[0] == '-' ? -offset : offset;
}

}  // namespace

std::optional<WallTime> parse_mail_date(std::string_view text) {
  const std::vector<std::string> words = date_words(text);
  std::size_t at = 0;
  if (!words.empty() && !ascii::is_digit(words[0][0])) at = 1;  // the day of the week
  if (words.size() < at + 4) return std::nullopt;
  const auto day = parse_whole<unsigned>(words[at], 1, 31);
  const auto* const month = std::find(kMonths.begin(), kMonths.end(), words[at + 1].substr(0, 3));
  const auto year = parse_year(words[at + 2]);
  const auto time = parse_time(words[at + 3]);
  if (!day || month == kMonths.end() || !year || !time) return std::nullopt;
  const auto number = static_cast<unsigned>(month - kMonths.begin()) + 1;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(number),
                                         std::chrono::day(*day)};
  if (!date.ok()) return std::nullopt;
  const auto zone = words.size() > at + 4 ? zone_of(words[at + 4]) : std::chrono::minutes(0);
  return WallTime(std::chrono::sys_days(date) + *time - zone);
}

}  // namespace shingled::milter::counters
