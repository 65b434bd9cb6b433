#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace shingled::hostile {

/// The cost of some work, in figures that other load on the machine does not change.
struct Work {
  std::optional<std::uint64_t> steps;  ///< nullopt if this build or kernel cannot count
  std::uint64_t peak_bytes = 0;        ///< the peak of the heap above its size before
};

/// The unit of a step: "comparisons" of our own code in a build for fuzzing; otherwise
/// "instructions" if the kernel counts them; empty if nothing is counted.
std::string_view step_name();

/// The number of steps that a present-day core does in 200 ms.
std::uint64_t steps_of_200_ms();

/// Runs `work` in this thread and counts its cost.
/// Threads: one at a time.
Work count_work(const std::function<void()>& work);

}  // namespace shingled::hostile
