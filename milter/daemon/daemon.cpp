#include "milter/daemon/daemon.h"

#include <malloc.h>
#include <sysexits.h>

#include <cstdio>
#include <utility>

#include "milter/daemon/running_daemon.h"
#include "milter/process/exit_code.h"
#include "milter/process/process_control.h"

namespace shingled::milter::daemon {

namespace {

/// Makes the C library give large blocks back to the system when they are freed. Call it before
/// other threads exist.
///
/// With its usual settings the library takes large blocks from its heaps once the first one was
/// freed, and there a small block after a large one keeps it. Measured: after 100 messages of
/// 10 MB and 20 of 50 MB, all at once, the idle daemon had 991 MB, of which malloc_trim(3) returned
/// half. With this threshold it has 34 MB, its peak is a third lower, and ordinary mail is as fast.
/// jemalloc kept 36 to 49 MB and was not faster.
void return_large_blocks() {
  // A threshold that was set is not adapted any more. Blocks of this size are rare in ordinary
  // mail.
  constexpr int kLargeBlockBytes = 256 * 1024;
  ::mallopt(M_MMAP_THRESHOLD, kLargeBlockBytes);
}

/// Logs the error. If the log is a file or syslog, it also goes to standard error, for an operator
/// at a terminal.
int give_up(const Error& error, const DaemonOptions& options, Logger* log) {
  if (log != nullptr) log->error(LogLine("fatal").field("error", error.message));
  if (log == nullptr || !options.log_file.empty() || options.syslog != SyslogFacility::kNone) {
    std::fprintf(stderr, "shingled: %s\n", error.message.c_str());
  }
  return process::exit_code(error.code, process::ExitContext::kDaemon);
}

}  // namespace

int run_daemon(std::shared_ptr<const Settings> settings, const SettingsSource& source) {
  process::block_signals();
  return_large_blocks();
  const DaemonOptions options = settings->daemon;
  SystemClock clock;
  auto log = process::LogSink::open(options.log_file, options.log_level, clock, options);
  if (!log) return give_up(log.error(), options, nullptr);
  for (const config::Problem& warning : source.warnings) {
    (*log)->warning(LogLine("config_warning").field("problem", warning.to_string()));
  }
  RunningDaemon daemon(std::move(settings), source, **log, clock);
  Status status = daemon.start();
  if (status) {
    status = daemon.serve();
    daemon.stop();
  } else if (daemon.stopped_early()) {
    (*log)->info(LogLine("stopped").field("reason", "a signal came while loading"));
    process::notify_stopping();
    status = {};
  }
  return status ? EX_OK : give_up(status.error(), options, log->get());
}

}  // namespace shingled::milter::daemon
