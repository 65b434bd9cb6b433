#include "storage/server/server_counters.h"

namespace shingled::storage::server {

ServerCounters& ServerCounters::operator+=(const ServerCounters& other) {
  checks += other.checks;
  hits += other.hits;
  delayed += other.delayed;
  hidden += other.hidden;
  adds += other.adds;
  deletes += other.deletes;
  stats += other.stats;
  pings += other.pings;
  refused += other.refused;
  repeats += other.repeats;
  invalid += other.invalid;
  undecryptable += other.undecryptable;
  blocked += other.blocked;
  ratelimited += other.ratelimited;
  unknown_keys += other.unknown_keys;
  agreements += other.agreements;
  too_late += other.too_late;
  kernel_drops += other.kernel_drops;
  unsent += other.unsent;
  tcp_connections += other.tcp_connections;
  tcp_refused += other.tcp_refused;
  tcp_displaced += other.tcp_displaced;
  tcp_timeouts += other.tcp_timeouts;
  tcp_slow += other.tcp_slow;
  tcp_bad_frames += other.tcp_bad_frames;
  no_memory += other.no_memory;
  for (std::size_t i = 0; i < versions.size(); ++i) versions[i] += other.versions[i];
  return *this;
}

ServerCounters WorkerCounters::read() const {
  ServerCounters seen = {.checks = checks.read(),
                         .hits = hits.read(),
                         .delayed = delayed.read(),
                         .hidden = hidden.read(),
                         .adds = adds.read(),
                         .deletes = deletes.read(),
                         .stats = stats.read(),
                         .pings = pings.read(),
                         .refused = refused.read(),
                         .repeats = repeats.read(),
                         .invalid = invalid.read(),
                         .undecryptable = undecryptable.read(),
                         .blocked = blocked.read(),
                         .ratelimited = ratelimited.read(),
                         .unknown_keys = unknown_keys.read(),
                         .agreements = agreements.read(),
                         .too_late = too_late.read(),
                         .kernel_drops = kernel_drops.read(),
                         .unsent = unsent.read(),
                         .tcp_connections = tcp_connections.read(),
                         .tcp_refused = tcp_refused.read(),
                         .tcp_displaced = tcp_displaced.read(),
                         .tcp_timeouts = tcp_timeouts.read(),
                         .tcp_slow = tcp_slow.read(),
                         .tcp_bad_frames = tcp_bad_frames.read(),
                         .no_memory = no_memory.read()};
  for (std::size_t i = 0; i < versions.size(); ++i) seen.versions[i] = versions[i].read();
  return seen;
}

}  // namespace shingled::storage::server
