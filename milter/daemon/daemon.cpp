#include "milter/daemon/daemon.h"

#include <sysexits.h>

#include <cstdio>
#include <utility>

#include "milter/daemon/running_daemon.h"
#include "milter/process/allocator.h"
#include "milter/process/exit_code.h"
#include "milter/process/service_manager.h"
#include "milter/process/signals.h"

namespace shingled::milter::daemon {

namespace {

/// The operator at the terminal sees it too when the log is a file.
int give_up(const Error& error, const DaemonOptions& options, Logger* log) {
  if (log != nullptr) log->error(LogLine("fatal").field("error", error.message));
  if (log == nullptr || !options.log_file.empty()) {
    std::fprintf(stderr, "shingled: %s\n", error.message.c_str());
  }
  return process::exit_code(error.code, process::ExitContext::kDaemon);
}

}  // namespace

int run_daemon(std::shared_ptr<const Settings> settings, const SettingsSource& source) {
  process::block_signals();
  process::return_large_blocks();
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
