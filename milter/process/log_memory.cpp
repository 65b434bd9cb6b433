#include "milter/process/log_memory.h"

#include <algorithm>

namespace shingled::milter::process {

void LogMemory::take(LogLevel level, std::string_view text, WallTime now) {
  if (level < LogLevel::kWarning) return;
  auto lines = lines_.lock();
  const auto same = std::ranges::find(*lines, text, &Line::text);
  if (same != lines->end()) {
    same->time = now;
    ++same->times;
    std::rotate(same, same + 1, lines->end());
    return;
  }
  if (lines->size() == kLinesMax) lines->erase(lines->begin());
  lines->push_back({.time = now, .level = level, .text = std::string(text)});
}

std::vector<LogMemory::Line> LogMemory::lines() const {
  std::vector<Line> out = *lines_.lock();
  std::ranges::reverse(out);
  return out;
}

}  // namespace shingled::milter::process
