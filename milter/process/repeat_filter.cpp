#include "milter/process/repeat_filter.h"

#include <utility>

namespace shingled::milter::process {

std::optional<std::uint64_t> RepeatFilter::admit(std::string_view line, TimePoint now) {
  const auto known = seen_.find(line);
  if (known == seen_.end()) {
    // Full of lines that differ: none of them is a repetition worth holding back.
    if (seen_.size() >= kLinesMax) seen_.clear();
    seen_.emplace(line, Seen{now, 0});
    return 0;
  }
  Seen& seen = known->second;
  if (now - seen.passed < kInterval) {
    ++seen.held_back;
    return std::nullopt;
  }
  seen.passed = now;
  return std::exchange(seen.held_back, 0);
}

}  // namespace shingled::milter::process
