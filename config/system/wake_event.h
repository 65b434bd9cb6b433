#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "config/system/unique_fd.h"

namespace shingled {

/// Wakes a thread that polls `fd`: an eventfd. `fd` is readable after `wake`, until `clear`.
/// Threads: any thread may call `wake`; the thread that polls calls `clear`.
class WakeEvent {
 public:
  WakeEvent() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  void wake() const {
    const std::uint64_t one = 1;
    (void)!::write(fd_.get(), &one, sizeof one);
  }
  void clear() const {
    std::uint64_t count = 0;
    (void)!::read(fd_.get(), &count, sizeof count);
  }
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  UniqueFd fd_;
};

}  // namespace shingled
