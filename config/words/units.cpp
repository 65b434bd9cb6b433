#include "config/words/units.h"

#include <algorithm>
#include <array>
#include <limits>

#include "config/base/ascii.h"
#include "config/base/number_text.h"

namespace shingled::config {

namespace {

struct Unit {
  std::string_view name;
  std::int64_t milliseconds;
};
/// Largest first; `min` is only read.
constexpr std::array<Unit, 7> kUnits = {{{"w", 604'800'000},
                                         {"d", 86'400'000},
                                         {"h", 3'600'000},
                                         {"m", 60'000},
                                         {"min", 60'000},
                                         {"s", 1'000},
                                         {"ms", 1}}};

struct SizeUnit {
  char name;
  unsigned shift;
};
constexpr std::array<SizeUnit, 4> kSizeUnits = {{{'T', 40}, {'G', 30}, {'M', 20}, {'K', 10}}};

const Unit* find_unit(std::string_view name) {
  const auto* it = std::find_if(kUnits.begin(), kUnits.end(),
                                [&](const Unit& unit) { return unit.name == name; });
  return it == kUnits.end() ? nullptr : it;
}

}  // namespace

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  if (text == "0") return std::chrono::milliseconds(0);
  if (text.empty()) return std::nullopt;
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  std::uint64_t total = 0;
  std::int64_t previous = std::numeric_limits<std::int64_t>::max();
  while (!text.empty()) {
    const auto number = take_whole<std::uint64_t>(text);
    const auto* end = std::find_if(text.begin(), text.end(), ascii::is_digit);
    const auto name = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    const Unit* unit = find_unit(name);
    if (!number || unit == nullptr || unit->milliseconds >= previous) return std::nullopt;
    const auto factor = static_cast<std::uint64_t>(unit->milliseconds);
    if (*number > (kMost - total) / factor) return std::nullopt;
    total += *number * factor;
    previous = unit->milliseconds;
    text.remove_prefix(name.size());
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(total));
}

std::string format_duration(std::chrono::milliseconds duration) {
  std::string out;
  std::int64_t rest = duration.count();
  for (const Unit& unit : kUnits) {
    if (unit.name == "w" || unit.name == "min") continue;  // 90d says more than 12w6d
    if (rest < unit.milliseconds) continue;
    out += std::to_string(rest / unit.milliseconds) + std::string(unit.name);
    rest %= unit.milliseconds;
  }
  return out.empty() ? "0" : out;
}

std::optional<Rate> parse_rate(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  std::string_view amount = text.substr(0, slash);
  std::string_view time = text.substr(slash + 1);
  while (!amount.empty() && amount.back() == ' ') amount.remove_suffix(1);
  while (!time.empty() && time.front() == ' ') time.remove_prefix(1);
  const auto number = parse_real(amount);
  if (!number || *number < 0) return std::nullopt;
  const Unit* alone = find_unit(time);
  const auto duration = alone != nullptr
                            ? std::optional(std::chrono::milliseconds(alone->milliseconds))
                            : parse_duration(time);
  if (!duration || duration->count() == 0) return std::nullopt;
  return Rate{*number, *duration};
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  const auto number = take_whole<std::uint64_t>(text);
  if (!number) return std::nullopt;
  if (text.empty()) return number;
  if (text.size() != 1) return std::nullopt;
  const char upper = ascii::to_upper(text[0]);
  for (const SizeUnit& unit : kSizeUnits) {
    if (unit.name != upper) continue;
    if (*number > std::numeric_limits<std::uint64_t>::max() >> unit.shift) return std::nullopt;
    return *number << unit.shift;
  }
  return std::nullopt;
}

std::string format_size(std::uint64_t bytes) {
  for (const SizeUnit& unit : kSizeUnits) {
    const std::uint64_t whole = bytes >> unit.shift;
    if (whole > 0 && whole << unit.shift == bytes) return std::to_string(whole) + unit.name;
  }
  return std::to_string(bytes);
}

}  // namespace shingled::config
