#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "config/base/guarded.h"

namespace shingled::milter::mta {

/// Work that is deferred until an answer is sent. The thread of its connection does it then; what
/// is still owed when the service ends, `do_all` does: no stop waits for a mail server that does
/// not read its answer.
/// Threads: any thread.
/// Cost:    a lock and an allocation for each.
class OwedWork {
 public:
  using Number = std::uint64_t;

  /// Errors: std::bad_alloc; then nothing is owed, and nothing of it was done.
  Number add(std::function<void()> work);
  /// Does it, unless it was done. An exception of the work ends it.
  void do_one(Number number) noexcept;
  void do_all() noexcept;

 private:
  struct Works {
    std::map<Number, std::function<void()>> waiting;
    Number next = 0;
  };
  Guarded<Works> works_;
};

}  // namespace shingled::milter::mta
