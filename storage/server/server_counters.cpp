#include "storage/server/server_counters.h"

#include "storage/crypto/keypair.h"
#include "storage/protocol/codec.h"

namespace shingled::storage::server {

ServerCounters& ServerCounters::operator+=(const ServerCounters& other) {
  add_counters(*this, other);
  for (std::size_t i = 0; i < versions.size(); ++i) versions[i] += other.versions[i];
  return *this;
}

ServerCounters WorkerCounters::read() const {
  auto seen = read_counters<ServerCounters>(*this);
  for (std::size_t i = 0; i < versions.size(); ++i) seen.versions[i] = versions[i].read();
  return seen;
}

void report_server(const ServerCounters& counters, MetricReport& report) {
  report_counters(counters, report);
  for (std::size_t version = 0; version < counters.versions.size(); ++version) {
    if (version != 0 && counters.versions[version] == 0) continue;
    report.counter({"shingled_server_requests", "Requests understood, by protocol version."},
                   counters.versions[version],
                   {{"version", version == 0 ? "other" : std::to_string(version)}});
  }
}

namespace {

bool is_plain_update(BytesView packet) {
  if (packet.size() < protocol::kCommandBytes || crypto::parse_sealed_request(packet)) return false;
  return protocol::is_update(static_cast<protocol::CommandCode>(packet[1]));
}

}  // namespace

bool is_too_late(BytesView packet, Duration waited, Duration limit) {
  return limit != Duration::zero() && waited > limit && !is_plain_update(packet);
}

void LossReport::record(std::uint64_t kernel_drops, std::uint64_t too_late, TimePoint now) {
  if (kernel_drops == 0 && too_late == 0) return;
  kernel_drops_.fetch_add(kernel_drops, std::memory_order_relaxed);
  too_late_.fetch_add(too_late, std::memory_order_relaxed);
  if (!line_.pass(now)) return;
  logger_.warning(LogLine("fuzzy_overloaded")
                      .field("kernel_drops", kernel_drops_.exchange(0))
                      .field("too_late", too_late_.exchange(0)));
}

void LossReport::note_refused_update(access::UpdateRefusal why, const IpAddress& source,
                                     TimePoint now) {
  Refused& refused = refused_[static_cast<std::size_t>(why)];
  refused.count.fetch_add(1, std::memory_order_relaxed);
  if (!refused.line.pass(now)) return;
  logger_.warning(LogLine("fuzzy_update_refused")
                      .field("source", source.to_string())
                      .field("why", access::to_string(why))
                      .field("refused", refused.count.exchange(0)));
}

void LossReport::note_no_memory(TimePoint now) noexcept {
  const std::uint64_t lost = no_memory_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (!no_memory_line_.pass(now)) return;
  try {
    logger_.error(LogLine("fuzzy_out_of_memory").field("requests", lost));
    no_memory_.fetch_sub(lost, std::memory_order_relaxed);
  } catch (const std::bad_alloc&) {
    no_memory_line_.give_back();
  }
}

}  // namespace shingled::storage::server
