#include "milter/process/process_metrics.h"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "config/base/ascii.h"
#include "config/base/number_text.h"

namespace shingled::milter::process {

namespace {

using Seconds = std::chrono::duration<double>;

Seconds time_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

/// What /proc/self/stat says of this process; see proc_pid_stat(5).
struct ProcessFacts {
  std::uint64_t threads = 0;
  std::uint64_t start_ticks = 0;  ///< since the machine booted
  std::uint64_t virtual_bytes = 0;
  std::uint64_t resident_pages = 0;
};

std::optional<ProcessFacts> read_facts() {
  // The fields after the name of the program, which is in brackets and may have spaces.
  constexpr std::size_t kThreads = 17;
  constexpr std::size_t kStart = 19;
  constexpr std::size_t kVirtual = 20;
  constexpr std::size_t kResident = 21;
  std::ifstream file("/proc/self/stat");
  std::string name;
  if (!std::getline(file, name, ')')) return std::nullopt;
  const std::vector<std::string> fields{std::istream_iterator<std::string>(file), {}};
  if (fields.size() <= kResident) return std::nullopt;
  const auto number = [&](std::size_t i) {
    return parse_whole<std::uint64_t>(fields[i]).value_or(0);
  };
  return ProcessFacts{number(kThreads), number(kStart), number(kVirtual), number(kResident)};
}

std::optional<std::uint64_t> open_files() {
  std::error_code failed;
  std::uint64_t count = 0;
  for (std::filesystem::directory_iterator at("/proc/self/fd", failed), end; !failed && at != end;
       at.increment(failed))
    ++count;
  if (failed || count == 0) return std::nullopt;
  return count - 1;  // one of them reads the folder
}

}  // namespace

void report_process(MetricReport& report) {
  report.counter({"process_cpu_seconds", "Processor time of all threads."},
                 time_of(CLOCK_PROCESS_CPUTIME_ID));
  if (const auto files = open_files())
    report.gauge({"process_open_fds", "Open files and sockets."}, *files);
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    report.gauge({"process_max_fds", "Files and sockets that may be open."},
                 std::uint64_t{limit.rlim_cur});
  }
  const auto facts = read_facts();
  if (!facts) return;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  report.gauge({"process_resident_memory_bytes", "Memory in use."}, facts->resident_pages * page);
  report.gauge({"process_virtual_memory_bytes", "Address space in use."}, facts->virtual_bytes);
  report.gauge({"process_threads", "Threads that run."}, facts->threads);
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const Seconds boot = time_of(CLOCK_REALTIME) - time_of(CLOCK_BOOTTIME);
  report.gauge({"process_start_time_seconds", "When the process began, in Unix time."},
               boot.count() + static_cast<double>(facts->start_ticks) / ticks);
}

}  // namespace shingled::milter::process
