#include "milter/terminal/message_loop.h"

#include <fmt/format.h>
#include <sysexits.h>
#include <unistd.h>

#include <algorithm>

#include "milter/process/interrupt.h"
#include "milter/terminal/exit_code.h"

namespace shingled::milter::terminal {

namespace {

constexpr std::uint64_t kBytesWorthABar = 1024UL * 1024;
constexpr auto kDrawEvery = std::chrono::milliseconds(100);

}  // namespace

Progress::Progress(Console& console, const input::MessageSource& source, const Clock& clock)
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

int for_each_message(const MessageArguments& arguments,
                     const input::MessageSource::Options& options, Console& console,
                     const std::function<int(const input::SourceMessage&)>& work) {
  const auto& names = arguments.names;
  const bool reads_input =
      names.empty() || std::find(names.begin(), names.end(), "-") != names.end();
  if (reads_input && ::isatty(STDIN_FILENO) == 1) {
    console.note("shingled: reading a message from the terminal; end it with Ctrl-D");
  }
  input::MessageSource source(names, options);
  const SystemClock clock;
  Progress progress(console, source, clock);
  int worst = EX_OK;
  while (const auto message = source.next()) {
    if (process::interrupted()) break;
    if (message->error) {
      console.error(message->name, message->error->message);
      worst = worse_exit_code(worst, exit_code(message->error->code));
      continue;
    }
    if (message->cut)
      console.error(message->name,
                    "longer than milter.message_bytes_max: only its beginning is used");
    const int code = work(*message);
    worst = worse_exit_code(worst, code);
    if ((code != EX_OK && code != EX_DATAERR) || console.broken()) break;
    progress.step();
  }
  return process::interrupted() ? process::kExitInterrupted : worst;
}

}  // namespace shingled::milter::terminal
