#include "milter/cli/input/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace shingled::milter::cli {

namespace {
constexpr std::uint64_t kBytesWorthABar = 1024UL * 1024;
constexpr auto kDrawEvery = std::chrono::milliseconds(100);
}  // namespace

Progress::Progress(Console& console, const MessageSource& source, const Clock& clock)
    : console_(console),
      source_(source),
      clock_(clock),
      enabled_(source.bytes_total() >= kBytesWorthABar && ::isatty(STDERR_FILENO) == 1),
      next_draw_(clock.now() + kDrawEvery) {}

Progress::~Progress() { console_.clear_drawn(); }

void Progress::step() {
  ++messages_;
  if (!enabled_ || clock_.now() < next_draw_) return;
  console_.draw(progress_bar(source_.bytes_done(), source_.bytes_total(), messages_));
  next_draw_ = clock_.now() + kDrawEvery;
}

std::string progress_bar(std::uint64_t done, std::uint64_t total, std::uint64_t messages) {
  constexpr std::uint64_t kWidth = 20;
  const std::uint64_t percent = total == 0 ? 100 : std::min<std::uint64_t>(100, done * 100 / total);
  const auto filled = static_cast<std::size_t>(percent * kWidth / 100);
  return fmt::format("[{}{}] {:3} %  {} messages", std::string(filled, '#'),
                     std::string(kWidth - filled, '.'), percent, messages);
}

}  // namespace shingled::milter::cli
