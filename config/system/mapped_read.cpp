#include "config/system/mapped_read.h"

#include <atomic>
#include <csignal>

namespace shingled::detail {

thread_local sigjmp_buf* mapped_fault = nullptr;

namespace {

extern "C" void on_bus_error(int number) {
  if (mapped_fault != nullptr) siglongjmp(*mapped_fault, 1);
  // Not ours: the instruction that failed is run again and ends the process as it would have.
  std::signal(number, SIG_DFL);
}

bool install() {
  struct sigaction action {};
  action.sa_handler = on_bus_error;
  action.sa_flags = SA_NODEFER;
  return ::sigaction(SIGBUS, &action, nullptr) == 0;
}

}  // namespace

void catch_mapped_faults() {
  static const bool installed = install();
  static_cast<void>(installed);
}

}  // namespace shingled::detail
