#pragma once

#include <atomic>
#include <csetjmp>

namespace shingled {

namespace detail {
/// Installs the handler of SIGBUS for the process, once.
void catch_mapped_faults();
/// Where this thread continues after a fault; nullptr outside read_mapped.
extern thread_local sigjmp_buf* mapped_fault;
}  // namespace detail

/// Runs `read`, which may look at the bytes of mapped files. False if the system could not give
/// some of them, because the disk failed or the file became shorter; otherwise such a read ends the
/// process with SIGBUS.
///
/// After a failure `read` has ended in the middle: it must not own anything whose destructor
/// matters (no allocation, no lock), and must not call read_mapped.
/// Threads: any thread.
/// Cost:    about 10 ns.
template <typename Read>
bool read_mapped(const Read& read) {
  detail::catch_mapped_faults();
  sigjmp_buf back;
  // The signal mask is not saved here, which would be a system call: the handler restores it.
  if (sigsetjmp(back, 0) != 0) {
    detail::mapped_fault = nullptr;
    return false;
  }
  detail::mapped_fault = &back;
  // The handler looks at it in between, which the compiler does not see: without these it may drop
  // the first store, or move the reads out of the two.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  read();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  detail::mapped_fault = nullptr;
  return true;
}

}  // namespace shingled
