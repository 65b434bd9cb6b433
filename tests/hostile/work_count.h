#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace shingled::hostile {

/// What a piece of work took, in figures that no other load on the machine changes.
struct Work {
  std::optional<std::uint64_t> steps;  ///< nothing where this build and kernel count none
  std::uint64_t peak_bytes = 0;        ///< of the heap, above what was there before
};

/// What a step is here: "instructions" where the kernel counts them; "comparisons" of our own code
/// in a build for fuzzing, which calls us at each; empty where nothing is counted.
std::string_view step_name();

/// Steps that 200 ms of a core of today take, of that sort.
std::uint64_t steps_of_200_ms();

/// Runs `work` and counts, in this thread.
/// Threads: one at a time.
Work count_work(const std::function<void()>& work);

}  // namespace shingled::hostile
