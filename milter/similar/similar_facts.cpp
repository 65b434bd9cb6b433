#include "milter/similar/similar_facts.h"

#include <fmt/format.h>

namespace shingled::milter::similar {

std::string piece_name(const SimilarHit& hit) {
  std::string name = hit.file.empty() ? "part " + hit.part : hit.file;
  if (!hit.entry.empty()) name += "!" + hit.entry;
  return name;
}

std::string likeness_text(const SimilarHit& hit) {
  std::string text;
  if (hit.score > 0) text = "similarity " + std::to_string(hit.score);
  if (hit.shared == 0) return text;
  if (!text.empty()) text += " and ";
  return text + fmt::format("{} of {} n-grams ({:.0f} %)", hit.shared, hit.asked,
                            100.0 * hit.shared / std::max(hit.asked, 1U));
}

}  // namespace shingled::milter::similar
