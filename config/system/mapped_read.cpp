#include "config/system/mapped_read.h"

#include <ucontext.h>

#include <csignal>

namespace shingled::detail {

thread_local sigjmp_buf* mapped_fault = nullptr;

namespace {

extern "C" void on_bus_error(int number, siginfo_t*, void* context) {
  if (mapped_fault != nullptr) {
    // For the system the handler has not ended after the jump: the signals that it blocks would
    // stay blocked, and the next fault would end the process.
    ::pthread_sigmask(SIG_SETMASK, &static_cast<const ucontext_t*>(context)->uc_sigmask, nullptr);
    siglongjmp(*mapped_fault, 1);
  }
  // Not ours: the instruction that failed is run again and ends the process as it would have.
  std::signal(number, SIG_DFL);
}

bool install() {
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  return ::sigaction(SIGBUS, &action, nullptr) == 0;
}

}  // namespace

void catch_mapped_faults() {
  static const bool installed = install();
  static_cast<void>(installed);
}

}  // namespace shingled::detail
