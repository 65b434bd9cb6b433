#include "milter/view/lines/verify_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace shingled::milter::view {

bool is_sound(const Json& report) {
  const auto ok = report.find("ok");
  return ok != report.end() && ok->is_boolean() && ok->get<bool>();
}

std::string verify_line(const Json& report) {
  if (!is_sound(report)) {
    const auto why = report.find("error");
    const bool told = why != report.end() && why->is_string();
    return "counters: damaged" +
           (told ? ": " + terminal::terminal_safe(why->get<std::string>()) : "");
  }
  std::string numbers;
  for (const auto& [name, value] : report.items()) {
    if (!value.is_number() && !value.is_string()) continue;
    std::string words = terminal::terminal_safe(name);
    std::replace(words.begin(), words.end(), '_', ' ');
    numbers += fmt::format(
        "{} {} {}", numbers.empty() ? ";" : ",", words,
        value.is_string() ? terminal::terminal_safe(value.get<std::string>()) : value.dump());
  }
  return "counters: no problem found" + numbers;
}

}  // namespace shingled::milter::view
