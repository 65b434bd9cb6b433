#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "milter/input/message_source.h"
#include "milter/terminal/console.h"

namespace shingled::milter::terminal {

/// A progress bar on the error stream: only on a terminal, only when there is enough work, at most
/// ten updates a second.
/// Threads: one thread.
class Progress {
 public:
  Progress(Console& console, const input::MessageSource& source, const Clock& clock);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Counts one more message.
  void step();

 private:
  Console& console_;
  const input::MessageSource& source_;
  const Clock& clock_;
  bool enabled_;
  std::uint64_t messages_ = 0;
  TimePoint next_draw_;
};

/// "[########............]  40 %  1234 messages"
std::string progress_bar(std::uint64_t done, std::uint64_t total, std::uint64_t messages);

/// The messages a command is to work on.
struct MessageArguments {
  std::vector<std::string> names;  ///< files, mboxes, directories, "-"; empty = standard input
};

/// Calls `work` with each message and returns the worst exit code.
///
/// A name that cannot be read is reported and counts with its own code; the others are read. So
/// does a message for which `work` returns EX_DATAERR. Any other code concerns the service and ends
/// the loop, as Ctrl-C and a closed output do.
int for_each_message(const MessageArguments& arguments,
                     const input::MessageSource::Options& options, Console& console,
                     const std::function<int(const input::SourceMessage&)>& work);

}  // namespace shingled::milter::terminal
