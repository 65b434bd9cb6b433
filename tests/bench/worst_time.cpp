// Prints the cost of each worst case from bytes to hashes, in milliseconds of one core: 1 MB with
// the default limits, then 1 MB and 2 MB without limits, and the ratio of these two. Cases that
// take more than 50 ms or grow more than linearly are marked, and make the exit code 1. `worst_time
// [RUNS] [NAME]`: the best of RUNS runs counts.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <string>
#include <string_view>

#include "mime/analyze.h"
#include "tests/bench/worst_cases.h"

namespace shingled {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;
constexpr double kMillisecondsMax = 50;
constexpr double kRatioMax = 3.5;  // 2 is linear, 4 quadratic; fresh memory costs more than reused
constexpr double kNoiseMilliseconds = 5;

/// Processor time of this thread. Other work on the machine does not count.
double now_ms() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

double best_ms(const std::string& message, const MimeOptions& options, int runs) {
  static const mime::HashRule rule(HashOptions{.html_shingles = true});
  double best = std::numeric_limits<double>::max();
  for (int i = 0; i < runs; ++i) {
    const double begin = now_ms();
    const auto hashes = mime::hash_message(mime::analyze(message, options), rule);
    best = std::min(best, now_ms() - begin);
    if (hashes.size() > message.size()) std::abort();  // so that the result is used
  }
  return best;
}

MimeOptions unbounded(MimeOptions options) {
  constexpr std::uint32_t kMany = 10'000'000;
  options.parts_max = 1'000'000;
  options.header_bytes_max = 16 * kMegabyte;
  options.header_line_bytes_max = 16 * kMegabyte;
  options.text_bytes_max = 64 * kMegabyte;
  options.words_max = kMany;
  options.html_tags_max = 1'000'000;
  return options;
}

int report(int runs, std::string_view only) {
  int bad = 0;
  std::printf("%-34s %6s %9s | %9s %9s %6s\n", "", "rspamd", "1 MB", "1 MB", "2 MB", "ratio");
  for (const WorstCase& worst : worst_cases()) {
    if (!only.empty() && std::string_view(worst.name).find(only) == std::string_view::npos)
      continue;
    const std::string one = worst.make(kMegabyte);
    const std::string two = worst.make(2 * kMegabyte);
    for (const Compat compat : {Compat::kRspamd3, Compat::kRspamd4}) {
      MimeOptions options;
      options.compat = compat;
      const double shipped = best_ms(one, options, runs);
      const double single = best_ms(one, unbounded(options), runs);
      const double twice = best_ms(two, unbounded(options), runs);
      const bool slow = shipped > kMillisecondsMax;
      const bool steep = twice > kNoiseMilliseconds && twice > kRatioMax * single;
      if (slow || steep) ++bad;
      std::printf("%-34s %6c %9.1f | %9.1f %9.1f %6.2f%s%s\n", worst.name,
                  compat == Compat::kRspamd3 ? '3' : '4', shipped, single, twice, twice / single,
                  slow ? "  SLOW" : "", steep ? "  STEEP" : "");
      std::fflush(stdout);
    }
  }
  return bad == 0 ? 0 : 1;
}

}  // namespace
}  // namespace shingled

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 3;
  return shingled::report(runs, argc > 2 ? argv[2] : "");
}
