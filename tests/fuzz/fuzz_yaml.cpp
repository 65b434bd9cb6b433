// A configuration file and, after a zero byte, one override. For any bytes, the loader returns
// settings with warnings, or errors, all with their places in the text.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "config/load_settings.h"
#include "config/words/units.h"

namespace {

void expect(bool holds) {
  if (!holds) std::abort();
}

bool is_one_printable_line(std::string_view text) {
  for (const char c : text) {
    if (c < ' ' || c > '~') return false;
  }
  return true;
}

/// Each letter of a condition has a place, in the order of the text.
void expect_places(const shingled::PolicyOptions& policy) {
  for (const auto& rule : policy.rules) {
    for (std::size_t offset = 0; offset <= rule.condition.size(); ++offset) {
      const auto place = rule.condition_text.at(offset);
      expect(place.line > 0 && place.column > 0);
      expect(offset == 0 || place.line >= rule.condition_text.at(offset - 1).line);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t zero = input.find('\0');
  std::vector<std::string> overrides;
  if (zero != std::string_view::npos) overrides.emplace_back(input.substr(zero + 1));
  const auto loaded = shingled::config::load_settings(input.substr(0, zero), "fuzz", overrides);

  const bool wrong = std::ranges::any_of(
      loaded.problems, [](const shingled::config::Problem& problem) { return problem.is_error(); });
  expect((loaded.settings != nullptr) == !wrong);
  for (const auto& problem : loaded.problems) {
    expect(is_one_printable_line(problem.to_string()));
    expect(problem.line == 0 || problem.column > 0);
  }
  if (loaded.settings != nullptr) expect_places(loaded.settings->policy);
  if (const auto duration = shingled::config::parse_duration(input)) {
    const std::string text = shingled::config::format_duration(*duration);
    expect(shingled::config::parse_duration(text) == duration);
  }
  if (const auto bytes = shingled::config::parse_size(input)) {
    expect(shingled::config::parse_size(shingled::config::format_size(*bytes)) == bytes);
  }
  return 0;
}
