#include "tests/hostile/work_count.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "config/system/unique_fd.h"
#include "tests/hostile/heap_count.h"

namespace shingled::hostile {

namespace {

#if defined(SHINGLED_FUZZ)

std::uint64_t comparisons = 0;

std::uint64_t steps_now() { return comparisons; }

#else

/// Counts user-space instructions of this thread; invalid if the kernel or the machine cannot
/// count.
UniqueFd open_instructions() {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return UniqueFd(static_cast<int>(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0)));
}

const UniqueFd& instructions() {
  static const UniqueFd counter = open_instructions();
  return counter;
}

std::uint64_t steps_now() {
  std::uint64_t value = 0;
  return ::read(instructions().get(), &value, sizeof value) == sizeof value ? value : 0;
}

#endif

}  // namespace

std::string_view step_name() {
#if defined(SHINGLED_FUZZ)
  return "comparisons";
#else
  return instructions() ? "instructions" : "";
#endif
}

std::uint64_t steps_of_200_ms() {
  // 5 instructions per nanosecond are two or three per cycle; about one of six is a comparison.
  constexpr std::uint64_t kInstructions = 1'000'000'000;
  constexpr std::uint64_t kInstructionsAComparison = 6;
  return step_name() == "comparisons" ? kInstructions / kInstructionsAComparison : kInstructions;
}

Work count_work(const std::function<void()>& work) {
  const std::uint64_t heap = heap_bytes();
  reset_heap_peak();
  const std::uint64_t begin = steps_now();
  work();
  const std::uint64_t end = steps_now();
  Work done;
  if (!step_name().empty()) done.steps = end - begin;
  done.peak_bytes = heap_peak_bytes() - heap;
  return done;
}

}  // namespace shingled::hostile

#if defined(SHINGLED_FUZZ)
// A build for fuzzing calls these functions at each comparison (SanitizerCoverage,
// -fsanitize-coverage=trace-cmp). Here they only count; there is no fuzzing engine.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
#define SHINGLED_COUNTS __attribute__((no_sanitize("coverage", "address", "undefined")))
extern "C" {
SHINGLED_COUNTS void __sanitizer_cov_trace_cmp1(std::uint8_t, std::uint8_t) {
  ++shingled::hostile::comparisons;
}
SHINGLED_COUNTS void __sanitizer_cov_trace_cmp2(std::uint16_t, std::uint16_t) {
  ++shingled::hostile::comparisons;
}
SHINGLED_COUNTS void __sanitizer_cov_trace_cmp4(std::uint32_t, std::uint32_t) {
  ++shingled::hostile::comparisons;
}
SHINGLED_COUNTS void __sanitizer_cov_trace_cmp8(std::uint64_t, std::uint64_t) {
  ++shingled::hostile::comparisons;
}
SHINGLED_COUNTS void __sanitizer_cov_trace_const_cmp1(std::uint8_t, std::uint8_t) {
  ++shingled::hostile::comparisons;
}
SHINGLED_COUNTS void __sanitizer_cov_trace_const_cmp2(std::uint16_t, std::uint16_t) {
  ++shingled::hostile::comparisons;
}
SHINGLED_COUNTS void __sanitizer_cov_trace_const_cmp4(std::uint32_t, std::uint32_t) {
  ++shingled::hostile::comparisons;
}
SHINGLED_COUNTS void __sanitizer_cov_trace_const_cmp8(std::uint64_t, std::uint64_t) {
  ++shingled::hostile::comparisons;
}
SHINGLED_COUNTS void __sanitizer_cov_trace_switch(std::uint64_t, std::uint64_t*) {
  ++shingled::hostile::comparisons;
}
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
#endif
