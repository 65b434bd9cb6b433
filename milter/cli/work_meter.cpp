#include "milter/cli/work_meter.h"

#include <fmt/format.h>
#include <sysexits.h>
#include <unistd.h>

#include <algorithm>

#include "milter/cli/exit_code.h"
#include "milter/cli/interrupt.h"

namespace shingled::milter {

namespace {
constexpr auto kFirstReportAfter = std::chrono::milliseconds(500);
constexpr auto kReportEvery = std::chrono::milliseconds(100);
}  // namespace

WorkMeter::WorkMeter(Console& console, const Clock& clock)
    : console_(console),
      clock_(clock),
      enabled_(::isatty(STDERR_FILENO) == 1),
      next_draw_(clock.now() + kFirstReportAfter) {}

WorkMeter::~WorkMeter() { console_.clear_drawn(); }

bool WorkMeter::report(const storage::WorkDone& work) {
  if (enabled_ && clock_.now() >= next_draw_) {
    console_.draw(work_line(work));
    next_draw_ = clock_.now() + kReportEvery;
  }
  return !interrupted();
}

storage::Watcher WorkMeter::watcher() {
  return [this](const storage::WorkDone& work) { return report(work); };
}

int WorkMeter::failed(std::string_view what, const Error& error) {
  console_.clear_drawn();
  if (interrupted()) return kExitInterrupted;
  console_.error(what, error.message);
  return error.code == ErrorCode::kUnavailable ? EX_TEMPFAIL : exit_code(error.code);
}

std::string work_line(const storage::WorkDone& work) {
  constexpr std::uint64_t kWidth = 20;
  if (work.done == 0) return fmt::format("{} ...", work.step);
  if (work.total == 0) return fmt::format("{}  {}", work.step, work.done);
  const std::uint64_t done = std::min(work.done, work.total);
  const auto filled = static_cast<std::size_t>(done * kWidth / work.total);
  return fmt::format("{}  [{}{}] {:3} %  {} of {}", work.step, std::string(filled, '#'),
                     std::string(kWidth - filled, '.'), done * 100 / work.total, done, work.total);
}

}  // namespace shingled::milter
