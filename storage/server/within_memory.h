#pragma once

#include <new>

#include "storage/server/loss_report.h"
#include "storage/server/server_counters.h"

namespace shingled::storage::server {

/// Does what a worker has to do for one packet or connection. False: there was no memory for it. It
/// is counted and told to the log, and is nobody else's trouble: the next may need less.
template <typename Work>
bool within_memory(WorkerCounters& counters, LossReport& losses, TimePoint now, const Work& work) {
  try {
    work();
    return true;
  } catch (const std::bad_alloc&) {
    counters.no_memory.add(1);
    losses.note_no_memory(now);
    return false;
  }
}

}  // namespace shingled::storage::server
