#include "milter/process/repeat_filter.h"

#include <utility>

namespace shingled::milter::process {

std::optional<std::uint64_t> RepeatFilter::admit(std::string_view line, TimePoint now) {
  auto known = seen_.find(line);
  if (known == seen_.end()) {
    // Full of lines that differ: none of them is a repetition worth holding back.
    if (seen_.size() >= kLinesMax) seen_.clear();
    known = seen_.try_emplace(std::string(line)).first;
  }
  Seen& seen = known->second;
  if (seen.passing.pass(now)) return std::exchange(seen.held_back, 0);
  ++seen.held_back;
  return std::nullopt;
}

}  // namespace shingled::milter::process
