#include "storage/server/server_counters.h"

namespace shingled::storage {

ServerCounters& ServerCounters::operator+=(const ServerCounters& other) {
  checks += other.checks;
  hits += other.hits;
  adds += other.adds;
  deletes += other.deletes;
  stats += other.stats;
  pings += other.pings;
  refused += other.refused;
  repeats += other.repeats;
  invalid += other.invalid;
  undecryptable += other.undecryptable;
  blocked += other.blocked;
  too_late += other.too_late;
  kernel_drops += other.kernel_drops;
  unsent += other.unsent;
  return *this;
}

ServerCounters WorkerCounters::read() const {
  return {.checks = checks.read(),
          .hits = hits.read(),
          .adds = adds.read(),
          .deletes = deletes.read(),
          .stats = stats.read(),
          .pings = pings.read(),
          .refused = refused.read(),
          .repeats = repeats.read(),
          .invalid = invalid.read(),
          .undecryptable = undecryptable.read(),
          .blocked = blocked.read(),
          .too_late = too_late.read(),
          .kernel_drops = kernel_drops.read(),
          .unsent = unsent.read()};
}

}  // namespace shingled::storage
