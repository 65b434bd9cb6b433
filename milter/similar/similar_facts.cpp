#include "milter/similar/similar_facts.h"

#include <cstdio>

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
  char parts[96];
  std::snprintf(parts, sizeof parts, "%u of %u n-grams (%.0f %%)", hit.shared, hit.asked,
                100.0 * hit.shared / std::max(hit.asked, 1U));
  return text + parts;
}

}  // namespace shingled::milter::similar
