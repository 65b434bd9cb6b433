#include "milter/terminal/progress_meter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "milter/process/interrupt.h"
#include "milter/terminal/exit_code.h"
#include "milter/view/amount_text.h"

namespace shingled::milter::terminal {

namespace {
constexpr auto kFirstReportAfter = std::chrono::milliseconds(500);
constexpr auto kReportEvery = std::chrono::milliseconds(100);
constexpr auto kTellLeftAfter = std::chrono::seconds(1);
}  // namespace

ProgressMeter::ProgressMeter(Console& console, const Clock& clock)
    : console_(console),
      clock_(clock),
      enabled_(::isatty(STDERR_FILENO) == 1),
      next_draw_(clock.now() + kFirstReportAfter),
      step_start_(clock.now()) {}

ProgressMeter::~ProgressMeter() { console_.clear_drawn(); }

bool ProgressMeter::report(const storage::WorkDone& work) {
  const TimePoint now = clock_.now();
  if (step_ != work.step) {
    step_ = work.step;
    step_start_ = now;
  }
  if (enabled_ && now >= next_draw_) {
    console_.draw(work_line(work, now - step_start_));
    next_draw_ = now + kReportEvery;
  }
  return !process::interrupted();
}

storage::Watcher ProgressMeter::watcher() {
  return [this](const storage::WorkDone& work) { return report(work); };
}

int ProgressMeter::failed(std::string_view what, const Error& error) {
  console_.clear_drawn();
  if (process::interrupted()) return process::kExitInterrupted;
  console_.error(what, error.message);
  return database_exit_code(error);
}

namespace {

std::string amount_text(const storage::WorkDone& work, std::uint64_t amount) {
  return work.unit == storage::WorkDone::Unit::kBytes
             ? view::bytes_text(static_cast<double>(amount))
             : fmt::format("{}", amount);
}

/// ", 12 s left"; nothing before it can be known.
std::string left_text(std::uint64_t done, std::uint64_t total, Duration lasted) {
  if (lasted < kTellLeftAfter || done == total) return "";
  const double left = std::chrono::duration<double>(lasted).count() *
                      static_cast<double>(total - done) / static_cast<double>(done);
  return ", " + (left < 1 ? "1 s" : view::age_text(std::chrono::seconds(std::llround(left)))) +
         " left";
}

}  // namespace

std::string work_line(const storage::WorkDone& work, Duration lasted) {
  constexpr std::uint64_t kWidth = 20;
  if (work.done == 0) return fmt::format("{} ...", work.step);
  if (work.total == 0) return fmt::format("{}  {}", work.step, amount_text(work, work.done));
  const std::uint64_t done = std::min(work.done, work.total);
  const auto filled = static_cast<std::size_t>(done * kWidth / work.total);
  return fmt::format("{}  [{}{}] {:3} %  {} of {}{}", work.step, std::string(filled, '#'),
                     std::string(kWidth - filled, '.'), done * 100 / work.total,
                     amount_text(work, done), amount_text(work, work.total),
                     left_text(done, work.total, lasted));
}

}  // namespace shingled::milter::terminal
