#include "milter/policy/condition_mistakes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "config/base/ascii.h"
#include "milter/policy/condition.h"
#include "storage/counters/counter.h"

namespace shingled::milter::policy {

namespace {

constexpr auto kKeywords = std::to_array<std::string_view>({"and", "or", "not", "in", "of"});
/// What other languages write, and what it is here.
constexpr auto kForeign = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"==", "="},
    {"===", "="},
    {"=>", ">="},
    {"=<", "<="},
    {"<>", "!="},
    {"!==", "!="},
    {"~=", "!="},
    {"=!", "!="},
    {"\xE2\x89\xA5", ">="},
    {"\xE2\x89\xA4", "<="},
    {"\xE2\x89\xA0", "!="},
    {"&&", "and"},
    {"&", "and"},
    {"||", "or"},
    {"|", "or"},
    {"!", "not"},
    {"[", "("},
    {"]", ")"},
    {"{", "("},
    {"}", ")"},
    {"gt", ">"},
    {"ge", ">="},
    {"lt", "<"},
    {"le", "<="},
    {"eq", "="},
    {"ne", "!="},
    {"is", "="},
    {"equals", "="},
    {"within", "in"},
    {"during", "in"},
    {"per", "in"},
    {"last", "in"},
    {"unless", "not"},
    {"over", "in"},
    {"from", "of"},
});

std::string days_text(std::uint64_t count) {
  return fmt::format("{}d", std::clamp<std::uint64_t>(count, 1, storage::counters::kWindowDaysMax));
}

}  // namespace

bool is_keyword(std::string_view word) {
  return std::ranges::find(kKeywords, word) != kKeywords.end();
}

std::string meant_by(std::string_view word) {
  std::string lower = ascii::to_lower(word);
  if (lower != word && is_keyword(lower)) return lower;
  const auto* const found =
      std::ranges::find(kForeign, lower, &decltype(kForeign)::value_type::first);
  return found == kForeign.end() ? std::string() : std::string(found->second);
}

std::string nearest_window(std::string_view text) {
  constexpr std::size_t kDigitsMax = 9;
  constexpr std::uint64_t kDayMinutes = 1440;
  constexpr std::uint64_t kSlotMinutes = 10;
  std::uint64_t number = 0;
  std::size_t digits = 0;
  while (digits < text.size() && digits < kDigitsMax && ascii::is_digit(text[digits]))
    number = number * 10 + static_cast<std::uint64_t>(text[digits++] - '0');
  const std::string unit = ascii::to_lower(text.substr(digits));
  if (digits == 0 || unit.empty()) return {};
  if (unit.starts_with("mo")) return days_text(storage::counters::kWindowDaysMax);
  switch (unit[0]) {
    case 's':
      return "10m";
    case 'm': {
      if (number > kDayMinutes) return days_text(number / kDayMinutes);
      const std::uint64_t slots = (number + kSlotMinutes / 2) / kSlotMinutes;
      return fmt::format("{}m", std::max<std::uint64_t>(slots, 1) * kSlotMinutes);
    }
    case 'h':
      if (number > 24) return days_text(number / 24);
      return fmt::format("{}h", std::max<std::uint64_t>(number, 1));
    case 'd':
      return days_text(number);
    case 'w':
      return days_text(number * 7);
    case 'y':
      return days_text(storage::counters::kWindowDaysMax);
    default:
      return {};
  }
}

std::string nearest_number(std::string_view text) {
  constexpr std::size_t kThousands = 3;
  std::string near(text);
  const std::size_t comma = text.rfind(',');
  if (comma != std::string_view::npos && text.size() - comma - 1 != kThousands) near[comma] = '.';
  std::erase_if(near, [](char c) { return c == ',' || c == '_' || c == '+'; });
  if (near.starts_with('.')) near.insert(0, 1, '0');
  if (near.ends_with('.')) near.pop_back();
  for (const std::string_view unit : {"iB", "B", "b"}) {
    if (near.size() > unit.size() + 1 && near.ends_with(unit)) {
      near.resize(near.size() - unit.size());
      break;
    }
  }
  return near != text && parse_number(near) ? near : std::string();
}

std::string number_problem(std::string_view text) {
  const auto has = [&](char c) { return text.find(c) != std::string_view::npos; };
  if (has(',')) return fmt::format("'{}' is not a number: commas are not allowed", text);
  if (text.starts_with('-')) return "a number is not negative here";
  if (text.starts_with('+')) return "a number has no sign";
  const std::size_t dot = text.find('.');
  const bool digits =
      std::ranges::all_of(text, [](char c) { return ascii::is_digit(c) || c == '.'; });
  if (!digits)
    return fmt::format("'{}' is not a number; K, M, G or T may be behind one of bytes", text);
  if (dot != std::string_view::npos && dot != text.rfind('.'))
    return fmt::format("'{}' is not a number: it has two dots", text);
  if (dot == 0 || dot + 1 == text.size())
    return fmt::format("'{}' is not a number: a digit is missing beside the dot", text);
  if (dot != std::string_view::npos && dot < 13) return "a number has at most six decimals";
  return fmt::format("a number is at most {}", kNumberMax);
}

}  // namespace shingled::milter::policy
