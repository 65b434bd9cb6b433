#pragma once

#include <cstdint>

#include "config/base/clock.h"
#include "milter/cli/input/message_source.h"
#include "milter/cli/terminal/console.h"

namespace shingled::milter::cli {

/// A progress bar on the error stream: only on a terminal, only when there is enough work, at most
/// ten updates a second.
/// Threads: one thread.
class Progress {
 public:
  Progress(Console& console, const MessageSource& source, const Clock& clock);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Counts one more message.
  void step();

 private:
  Console& console_;
  const MessageSource& source_;
  const Clock& clock_;
  bool enabled_;
  std::uint64_t messages_ = 0;
  TimePoint next_draw_;
};

/// "[########............]  40 %  1234 messages"
std::string progress_bar(std::uint64_t done, std::uint64_t total, std::uint64_t messages);

}  // namespace shingled::milter::cli
