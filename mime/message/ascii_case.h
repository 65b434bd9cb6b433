#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace shingled::mime {

/// ASCII only, whatever the locale says.
constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

inline std::string to_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = to_lower(c);
  return out;
}

inline bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return to_lower(x) == to_lower(y); });
}

inline bool starts_with_ignoring_case(std::string_view text, std::string_view start) {
  return text.size() >= start.size() && equal_ignoring_case(text.substr(0, start.size()), start);
}

}  // namespace shingled::mime
