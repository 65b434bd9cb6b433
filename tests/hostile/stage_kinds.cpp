// The worst cases of single stages (tests/bench/worst_cases.h) as complete messages.
#include <string>

#include "tests/bench/worst_cases.h"
#include "tests/hostile/themes.h"

namespace shingled::hostile {

namespace {

/// "Unclosed attributes, mixed quotes" becomes "stage-unclosed-attributes-mixed-quotes".
std::string kind_name(std::string_view words) {
  std::string out = "stage-";
  for (const char c : words) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (upper) out += static_cast<char>(c - 'A' + 'a');
    if (kept) out += c;
    if (c == ' ' && out.back() != '-') out += '-';
  }
  return out;
}

}  // namespace

std::vector<HostileKind> stage_kinds() {
  std::vector<HostileKind> kinds;
  for (const WorstCase& worst : worst_cases()) {
    kinds.push_back({kind_name(worst.name), std::string("one stage's worst case: ") + worst.name,
                     [make = worst.make](std::size_t bytes) {
                       return "From: sender@example.net\nTo: user@example.org\n" + make(bytes);
                     }});
  }
  return kinds;
}

}  // namespace shingled::hostile
