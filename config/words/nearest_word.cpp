#include "config/words/nearest_word.h"

#include <algorithm>
#include <vector>

#include "config/base/ascii.h"

namespace shingled::config {

namespace {

std::string folded(std::string_view word) {
  std::string out = ascii::to_lower(word);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table; `before` is needed for swaps.
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::optional<std::string> nearest_word(std::string_view word, std::span<const std::string> known) {
  constexpr std::size_t kWordBytesMax = 64;
  if (word.size() > kWordBytesMax) return std::nullopt;
  const std::string wanted = folded(word);
  const std::string* best = nullptr;
  std::size_t best_distance = 0;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(wanted, folded(candidate));
    if (distance > std::max<std::size_t>(1, candidate.size() / 3)) continue;
    if (best != nullptr && distance >= best_distance) continue;
    best = &candidate;
    best_distance = distance;
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

}  // namespace shingled::config
