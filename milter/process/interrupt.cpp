#include "milter/process/interrupt.h"

#include <poll.h>

#include <csignal>

namespace shingled::milter::process {

namespace {
volatile std::sig_atomic_t is_interrupted = 0;  // a signal handler can reach nothing else
void note_interrupt(int) { is_interrupted = 1; }
}  // namespace

void watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
}

bool interrupted() { return is_interrupted != 0; }

bool wait_for_bytes(int fd) {
  constexpr int kStepMilliseconds = 100;
  while (!interrupted()) {
    pollfd one{.fd = fd, .events = POLLIN, .revents = 0};
    if (::poll(&one, 1, kStepMilliseconds) > 0) return true;
  }
  return false;
}

}  // namespace shingled::milter::process
