#include "config/options/flag_map.h"

#include <algorithm>
#include <charconv>

namespace shingled {

namespace {
bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}
}  // namespace

FlagMap FlagMap::standard() {
  return FlagMap({{"denied", 11, "FUZZY_DENIED", 20.0, 20.0},
                  {"prob", 12, "FUZZY_PROB", 10.0, 8.0},
                  {"white", 13, "FUZZY_WHITE", 2.0, -10.0}});
}

const FlagOptions* FlagMap::find(std::uint32_t flag) const {
  const auto it = std::find_if(flags_.begin(), flags_.end(),
                               [&](const FlagOptions& entry) { return entry.flag == flag; });
  return it == flags_.end() ? nullptr : &*it;
}

const FlagOptions* FlagMap::find(std::string_view name_or_symbol) const {
  const auto it = std::find_if(flags_.begin(), flags_.end(), [&](const FlagOptions& entry) {
    return equal_ignoring_case(entry.name, name_or_symbol) ||
           equal_ignoring_case(entry.symbol, name_or_symbol);
  });
  return it == flags_.end() ? nullptr : &*it;
}

std::optional<std::uint32_t> FlagMap::number(std::string_view text) const {
  std::uint32_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure == std::errc{} && end == text.data() + text.size()) {
    return value >= 1 && value <= 255 ? std::optional(value) : std::nullopt;
  }
  const FlagOptions* entry = find(text);
  return entry != nullptr ? std::optional(entry->flag) : std::nullopt;
}

}  // namespace shingled
