#include "storage/server/loss_report.h"

namespace shingled::storage {

void LossReport::note(std::uint64_t kernel_drops, std::uint64_t too_late, TimePoint now) {
  if (kernel_drops == 0 && too_late == 0) return;
  kernel_drops_.fetch_add(kernel_drops, std::memory_order_relaxed);
  too_late_.fetch_add(too_late, std::memory_order_relaxed);
  const Duration::rep moment = now.time_since_epoch().count();
  Duration::rep due = due_.load(std::memory_order_relaxed);
  if (moment < due) return;
  // Of several threads one writes the line, with the losses of all.
  if (!due_.compare_exchange_strong(due, moment + kInterval.count())) return;
  logger_.warning(LogLine("fuzzy_overloaded")
                      .field("kernel_drops", kernel_drops_.exchange(0))
                      .field("too_late", too_late_.exchange(0)));
}

}  // namespace shingled::storage
