#include "milter/replay/history_span.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "config/base/ascii.h"
#include "config/base/number_text.h"
#include "config/words/units.h"

namespace shingled::milter::replay {

namespace {

constexpr std::int64_t kSecond = 1'000'000;

/// Reads "-12" or "T07" as the separator and a number of two digits.
std::optional<unsigned> take_two_digits(std::string_view& text, char separator) {
  if (text.size() < 3 || text[0] != separator || !ascii::is_digit(text[1]) ||
      !ascii::is_digit(text[2]))
    return std::nullopt;
  const auto value = static_cast<unsigned>((text[1] - '0') * 10 + (text[2] - '0'));
  text.remove_prefix(3);
  return value;
}

/// "2026-11-23", "2026-11-23T22:10", "2026-11-23T22:10:05", with or without a Z; seconds since
/// 1970.
std::optional<std::int64_t> parse_moment(std::string_view text) {
  constexpr std::size_t kYearDigits = 4;
  if (text.size() < kYearDigits ||
      !std::ranges::all_of(text.substr(0, kYearDigits), ascii::is_digit))
    return std::nullopt;
  std::string_view rest = text;
  const auto year = take_whole<std::uint64_t>(rest);
  const auto month = take_two_digits(rest, '-');
  const auto day = month ? take_two_digits(rest, '-') : std::nullopt;
  if (!year || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year % 10'000)),
                                         std::chrono::month(*month), std::chrono::day(*day)};
  if (!date.ok()) return std::nullopt;
  const auto midnight = std::chrono::sys_days(date).time_since_epoch();
  std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(midnight).count();
  if (!rest.empty() && rest != "Z") {
    const auto hour = take_two_digits(rest, 'T');
    const auto minute = hour ? take_two_digits(rest, ':') : std::nullopt;
    if (!minute || *hour > 23 || *minute > 59) return std::nullopt;
    const unsigned second = take_two_digits(rest, ':').value_or(0);
    if (second > 60) return std::nullopt;
    seconds += *hour * 3600 + *minute * 60 + second;
    if (!rest.empty() && rest != "Z") return std::nullopt;
  }
  return seconds;
}

Result<std::int64_t> moment_of(const char* option, const std::string& text, WallTime now) {
  if (const auto ago = config::parse_duration(text)) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*ago).count();
    return std::max<std::int64_t>(now.time_since_epoch().count() - seconds, 0) * kSecond;
  }
  if (const auto moment = parse_moment(text)) return *moment * kSecond;
  return Error{ErrorCode::kInvalid,
               std::string(option) + " " + text +
                   ": must be a time ago such as 7d, or a moment such as 2026-11-23T22:10 (UTC)"};
}

}  // namespace

Result<storage::sqlite::HistoryReader::Span> span_of(const HistorySpan& texts, WallTime now) {
  storage::sqlite::HistoryReader::Span span;
  if (!texts.since.empty()) {
    const auto since = moment_of("--since", texts.since, now);
    if (!since) return since.error();
    span.since = *since;
  }
  if (!texts.until.empty()) {
    const auto until = moment_of("--until", texts.until, now);
    if (!until) return until.error();
    span.until = *until;
  }
  return span;
}

std::string moment_text(std::int64_t time) {
  const std::chrono::sys_seconds moment{
      std::chrono::floor<std::chrono::seconds>(std::chrono::microseconds(time))};
  const auto day = std::chrono::floor<std::chrono::days>(moment);
  const std::chrono::year_month_day date(day);
  const auto of_day = (moment - day).count();
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     of_day / 3600, of_day / 60 % 60, of_day % 60);
}

}  // namespace shingled::milter::replay
