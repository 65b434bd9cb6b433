#include "storage/client/upstreams.h"

#include <algorithm>

namespace shingled::storage::client {

namespace {

std::vector<Contender> contenders_of(const std::vector<UpstreamServer>& servers) {
  std::vector<Contender> out;
  out.reserve(servers.size());
  for (const UpstreamServer& server : servers)
    out.push_back({identity_of(server.name), server.weight});
  return out;
}

}  // namespace

Upstreams::Upstreams(const std::vector<UpstreamServer>& servers, Rotation rotation,
                     const RestPolicy& policy)
    : servers_(servers.size()),
      policy_(policy),
      state_(std::in_place, State{{}, ServerSelection(rotation, contenders_of(servers))}) {
  for (std::size_t s = 0; s < servers.size(); ++s) {
    for (const SocketAddress& address : servers[s].addresses)
      endpoints_.push_back({address, address.to_string(), s});
  }
  auto state = state_.lock();
  state->records.resize(endpoints_.size());
  for (std::size_t e = 0; e < endpoints_.size(); ++e)
    state->records[e].statistics.server = endpoints_[e].name;
}

std::vector<SocketAddress> Upstreams::addresses_of(std::size_t server) const {
  std::vector<SocketAddress> out;
  for (const Endpoint& endpoint : endpoints_) {
    if (endpoint.server == server) out.push_back(endpoint.address);
  }
  return out;
}

bool Upstreams::equals(const std::vector<UpstreamServer>& servers) const {
  std::size_t e = 0;
  for (std::size_t s = 0; s < servers.size(); ++s) {
    for (const SocketAddress& address : servers[s].addresses) {
      if (e == endpoints_.size() || endpoints_[e].server != s) return false;
      if (!(endpoints_[e++].address == address)) return false;
    }
  }
  return servers.size() == servers_ && e == endpoints_.size();
}

void Upstreams::inherit(Upstreams& old) {
  const std::vector<Record> known = old.state_.lock()->records;
  auto state = state_.lock();
  for (std::size_t e = 0; e < endpoints_.size(); ++e) {
    for (std::size_t o = 0; o < known.size(); ++o) {
      if (old.endpoints_[o].address == endpoints_[e].address) state->records[e] = known[o];
    }
  }
}

std::vector<std::size_t> Upstreams::in_turn(std::uint64_t key, TimePoint now) {
  auto state = state_.lock();
  const auto well = [&](std::size_t e) { return state->records[e].health.is_well(now); };
  std::vector<bool> server_is_well(servers_, false);
  for (std::size_t e = 0; e < endpoints_.size(); ++e) {
    if (well(e)) server_is_well[endpoints_[e].server] = true;
  }
  std::vector<std::size_t> order;
  for (const std::size_t server : state->selection.order(server_is_well, key)) {
    for (std::size_t e = 0; e < endpoints_.size(); ++e) {
      if (endpoints_[e].server == server) order.push_back(e);
    }
  }
  std::stable_partition(order.begin(), order.end(), well);
  return order;
}

std::vector<std::size_t> Upstreams::of_server(std::size_t server, TimePoint now) {
  auto state = state_.lock();
  std::vector<std::size_t> order;
  for (std::size_t e = 0; e < endpoints_.size(); ++e) {
    if (endpoints_[e].server == server) order.push_back(e);
  }
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t e) { return state->records[e].health.is_well(now); });
  return order;
}

void Upstreams::sent(std::size_t endpoint, bool repeat) {
  auto state = state_.lock();
  ServerStatistics& statistics = state->records[endpoint].statistics;
  ++(repeat ? statistics.repeats : statistics.requests);
}

void Upstreams::streamed(std::size_t endpoint) {
  ++state_.lock()->records[endpoint].statistics.over_tcp;
}

void Upstreams::answered(std::size_t endpoint, std::chrono::microseconds latency) {
  auto state = state_.lock();
  Record& record = state->records[endpoint];
  record.health.answered();
  ++record.statistics.replies;
  record.statistics.latency_sum += latency;
  record.statistics.latency_max = std::max(record.statistics.latency_max, latency);
}

void Upstreams::stray(std::size_t endpoint) {
  ++state_.lock()->records[endpoint].statistics.strays;
}

void Upstreams::timed_out(std::size_t endpoint) {
  ++state_.lock()->records[endpoint].statistics.timeouts;
}

void Upstreams::unreachable(std::size_t endpoint) {
  ++state_.lock()->records[endpoint].statistics.errors;
}

void Upstreams::failed(std::size_t endpoint, TimePoint now) {
  auto state = state_.lock();
  Record& record = state->records[endpoint];
  record.wire_version = WireVersion::kUnknown;  // perhaps another server has this address now
  record.health.failed(policy_, now);
}

void Upstreams::probe_failed(std::size_t endpoint, TimePoint now) {
  state_.lock()->records[endpoint].health.probe_failed(policy_, now);
}

std::vector<std::size_t> Upstreams::to_probe(TimePoint now) {
  auto state = state_.lock();
  std::vector<std::size_t> out;
  for (std::size_t e = 0; e < endpoints_.size(); ++e) {
    if (state->records[e].health.wants_probe(now)) out.push_back(e);
  }
  return out;
}

WireVersion Upstreams::wire_version(std::size_t endpoint, TimePoint now) {
  auto state = state_.lock();
  Record& record = state->records[endpoint];
  if (record.wire_version == WireVersion::kPlain && now - record.learnt > kPlainTime)
    record.wire_version = WireVersion::kUnknown;
  return record.wire_version;
}

void Upstreams::learn(std::size_t endpoint, WireVersion wire_version, TimePoint now) {
  auto state = state_.lock();
  Record& record = state->records[endpoint];
  if (record.wire_version == wire_version) return;
  record.wire_version = wire_version;
  record.learnt = now;
}

std::vector<ServerStatistics> Upstreams::statistics() {
  auto state = state_.lock();
  std::vector<ServerStatistics> out;
  for (const Record& record : state->records) {
    out.push_back(record.statistics);
    out.back().resting = record.health.is_resting();
  }
  return out;
}

}  // namespace shingled::storage::client
