#pragma once

#include <string>
#include <string_view>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "milter/terminal/console.h"
#include "storage/model/work_watcher.h"

namespace shingled::milter::terminal {

/// Progress of a long command and its remaining time, on the error stream: only on a terminal, only
/// if it takes long, at most ten updates a second. Ctrl-C ends the work at its next report.
/// Threads: one thread.
class ProgressMeter {
 public:
  ProgressMeter(Console& console, const Clock& clock);
  ~ProgressMeter();
  ProgressMeter(const ProgressMeter&) = delete;
  ProgressMeter& operator=(const ProgressMeter&) = delete;

  /// False = Ctrl-C was pressed.
  bool report(const storage::WorkDone& work);
  /// The same as a function, which must not outlive this object.
  [[nodiscard]] storage::Watcher watcher();

  /// Says why the work failed and gives its `database_exit_code`. After Ctrl-C: 130, in silence.
  int failed(std::string_view what, const Error& error);

 private:
  Console& console_;
  const Clock& clock_;
  bool enabled_;
  TimePoint next_draw_;
  std::string step_;  ///< the one under way
  TimePoint step_start_;
};

/// "copying  [########............]  40 %  1234 of 3085, 12 s left", bytes as "1.2 MiB of 3.0 MiB";
/// without a total "reading  1234". `lasted`: since the step began. What is left is shown once a
/// second of it has shown how fast it goes, as if it stayed so fast.
std::string work_line(const storage::WorkDone& work, Duration lasted);

}  // namespace shingled::milter::terminal
