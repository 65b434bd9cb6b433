#include "milter/setup/plan.h"

#include <algorithm>

namespace shingled::milter::setup {

namespace {
constexpr std::string_view kBlanks = " \t\r\n";
}  // namespace

std::vector<std::string> list_words(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  std::size_t depth = 0;
  for (const char c : text) {
    const bool ends = depth == 0 && (c == ',' || kBlanks.find(c) != std::string_view::npos);
    if (ends) {
      if (!word.empty()) out.push_back(word);
      word.clear();
      continue;
    }
    if (c == '{') ++depth;
    if (c == '}' && depth > 0) --depth;
    word += c;
  }
  if (!word.empty()) out.push_back(word);
  return out;
}

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

}  // namespace shingled::milter::setup
