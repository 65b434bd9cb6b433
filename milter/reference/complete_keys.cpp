#include <algorithm>

#include "config/reference/key_text.h"
#include "milter/reference/completion.h"

namespace shingled::milter::reference {

std::vector<std::string> complete_keys() {
  std::vector<std::string> out;
  for (const config::KeyText& key : config::key_texts()) {
    const bool has_placeholder =
        std::ranges::any_of(key.name, [](char c) { return c >= 'A' && c <= 'Z'; });
    if (!has_placeholder) out.push_back(key.name);
  }
  return out;
}

}  // namespace shingled::milter::reference
