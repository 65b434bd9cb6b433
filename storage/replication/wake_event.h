#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "config/system/unique_fd.h"

namespace shingled::storage::replication {

/// Wakes a thread that polls `fd`.
/// Threads: `wake` any, `clear` the one that polls.
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

}  // namespace shingled::storage::replication
