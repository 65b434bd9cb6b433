#include "milter/process/signals.h"

#include <signal.h>
#include <time.h>

namespace shingled::milter::process {

namespace {

sigset_t our_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGHUP, SIGUSR1, SIGTERM, SIGINT}) sigaddset(&set, number);
  return set;
}

}  // namespace

void block_signals() {
  const sigset_t set = our_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  // A write beyond the size limit of a file then fails with an error, as on a full disk.
  ::signal(SIGXFSZ, SIG_IGN);
}

std::optional<Signal> wait_for_signal(std::chrono::milliseconds most) {
  const sigset_t set = our_signals();
  timespec timeout{};
  timeout.tv_sec = static_cast<time_t>(most.count() / 1000);
  timeout.tv_nsec = static_cast<long>(most.count() % 1000) * 1'000'000L;
  switch (::sigtimedwait(&set, nullptr, &timeout)) {
    case SIGHUP:
      return Signal::kReload;
    case SIGUSR1:
      return Signal::kReopenLog;
    case SIGTERM:
    case SIGINT:
      return Signal::kStop;
    default:
      return std::nullopt;
  }
}

}  // namespace shingled::milter::process
