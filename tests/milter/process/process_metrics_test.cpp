#include "milter/process/process_metrics.h"

#include <gtest/gtest.h>
#include <time.h>
#include <unistd.h>

#include <vector>

#include "config/system/unique_fd.h"

namespace shingled::milter::process {
namespace {

double told(const char* name) {
  MetricReport report;
  report_process(report);
  return report.total(name);
}

TEST(ProcessMetrics, AreThoseOfThisProcess) {
  const double files = told("process_open_fds");
  EXPECT_GT(files, 2);
  const UniqueFd one_more(::dup(STDERR_FILENO));
  EXPECT_EQ(told("process_open_fds"), files + 1);
  EXPECT_GT(told("process_max_fds"), files);
  EXPECT_GE(told("process_threads"), 1);
}

TEST(ProcessMetrics, GrowWithWhatIsUsed) {
  const double before = told("process_resident_memory_bytes");
  constexpr std::size_t kBytes = 64UL << 20U;
  const std::vector<char> used(kBytes, 'x');
  EXPECT_GT(told("process_resident_memory_bytes"), before + 0.9 * kBytes);
  EXPECT_GE(told("process_virtual_memory_bytes"), told("process_resident_memory_bytes"));
  const double processor = told("process_cpu_seconds");
  EXPECT_GT(processor, 0);
  while (told("process_cpu_seconds") <= processor) continue;
}

TEST(ProcessMetrics, TheStartIsAMomentOfThePast) {
  const double start = told("process_start_time_seconds");
  const auto now = static_cast<double>(::time(nullptr));
  EXPECT_LE(start, now + 1);
  EXPECT_GT(start, now - 3600);
  EXPECT_NEAR(told("process_start_time_seconds"), start, 0.1);
}

}  // namespace
}  // namespace shingled::milter::process
