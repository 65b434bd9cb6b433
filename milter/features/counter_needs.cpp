#include "milter/features/counter_needs.h"

#include <algorithm>

namespace shingled::milter::features {

const CounterNeed* find_need(const CounterNeeds& needs, PieceType type) {
  const auto found = std::ranges::find(needs, type, &CounterNeed::type);
  return found == needs.end() ? nullptr : &*found;
}

std::vector<std::size_t> places_of(std::span<const Window> windows,
                                   std::span<const Window> others) {
  std::vector<std::size_t> places;
  places.reserve(windows.size());
  for (const Window& window : windows)
    places.push_back(static_cast<std::size_t>(std::ranges::find(others, window) - others.begin()));
  return places;
}

CounterNeeds union_of(const CounterNeeds& a, const CounterNeeds& b) {
  CounterNeeds out = a;
  for (const CounterNeed& need : b) {
    const auto known = std::ranges::find(out, need.type, &CounterNeed::type);
    if (known == out.end()) {
      out.push_back(need);
      continue;
    }
    known->said = known->said || need.said;
    for (const Window& window : need.windows)
      if (std::ranges::find(known->windows, window) == known->windows.end())
        known->windows.push_back(window);
  }
  return out;
}

}  // namespace shingled::milter::features
