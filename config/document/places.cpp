#include "config/document/places.h"

#include <algorithm>

namespace shingled::config {

std::string Problem::to_string() const {
  std::string text = file;
  if (line > 0) text += ':' + std::to_string(line) + ':' + std::to_string(column);
  text += ": ";
  if (severity == Severity::kWarning) text += "warning: ";
  if (!key.empty()) text += key + ": ";
  return text + what;
}

const Position* Places::find(std::string_view key) const {
  const auto found = places_.find(key);
  return found == places_.end() ? nullptr : &found->second;
}

Problem Places::problem(std::string_view key, std::string_view what,
                        Problem::Severity severity) const {
  const Position* position = nullptr;
  for (std::string_view around = key; position == nullptr && !around.empty();) {
    position = find(around);
    const std::size_t end = around.find_last_of(".[");
    around = around.substr(0, end == std::string_view::npos ? 0 : end);
  }
  const Position here = position == nullptr ? Position{} : *position;
  const bool in_file = here.origin == Position::Origin::kFile;
  return {in_file ? file_name_ : "-o", here.line, here.column, std::string(key),
          std::string(what),           severity};
}

std::string Places::source(std::string_view key) const {
  const Position* position = find(key);
  if (position == nullptr) return "default";
  if (position->origin == Position::Origin::kOverride) return "-o";
  return file_name_ + ':' + std::to_string(position->line);
}

}  // namespace shingled::config
