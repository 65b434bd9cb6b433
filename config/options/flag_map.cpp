#include "config/options/flag_map.h"

#include <algorithm>

#include "config/base/ascii.h"
#include "config/base/number_text.h"

namespace shingled {

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
    return ascii::equal_ignoring_case(entry.name, name_or_symbol) ||
           ascii::equal_ignoring_case(entry.symbol, name_or_symbol);
  });
  return it == flags_.end() ? nullptr : &*it;
}

std::optional<std::uint32_t> FlagMap::number(std::string_view text) const {
  if (const auto value = parse_whole<std::uint32_t>(text)) {
    return *value >= 1 && *value <= 255 ? value : std::nullopt;
  }
  const FlagOptions* entry = find(text);
  return entry != nullptr ? std::optional(entry->flag) : std::nullopt;
}

}  // namespace shingled
