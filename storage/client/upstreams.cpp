#include "storage/client/upstreams.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

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

void report_client(const std::string& rule, std::span<const ServerStatistics> servers,
                   MetricReport& report) {
  const auto seconds = [](std::chrono::microseconds time) {
    return std::chrono::duration<double>(time).count();
  };
  for (const ServerStatistics& server : servers) {
    const MetricLabels who = {{"rule", rule}, {"server", server.server}};
    report_counters<ServerCounts>(server, report, who);
    report.gauge({"shingled_client_resting", "1 while a server that failed is left alone."},
                 std::uint64_t{server.resting ? 1U : 0U}, who);
    report.gauge({"shingled_client_mean_seconds", "Mean time to an answer, since the start."},
                 seconds(server.latency_mean()), who);
    report.gauge({"shingled_client_longest_seconds", "Longest time to an answer."},
                 seconds(server.latency_max), who);
  }
}

namespace {

/// The finaliser of SplitMix64: each bit of the input changes all bits of the output.
std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9U;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// The number drawn for a server: an exponential variate whose rate is the weight. So a server has
/// the smallest number, which wins, as often as its share of all weights.
double draw(const Contender& contender, std::uint64_t key) {
  const std::uint64_t bits = mix(contender.identity ^ mix(key)) >> 11;  // 53 bits fit into a double
  const double uniform = (static_cast<double>(bits) + 0.5) * 0x1p-53;   // never 0 or 1
  return -std::log(uniform) / static_cast<double>(contender.weight);
}

}  // namespace

std::uint64_t identity_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return mix(hash);
}

ServerSelection::ServerSelection(Rotation rotation, std::vector<Contender> contenders)
    : rotation_(rotation), contenders_(std::move(contenders)), credit_(contenders_.size(), 0) {}

std::vector<std::size_t> ServerSelection::order(const std::vector<bool>& well, std::uint64_t key) {
  std::vector<std::size_t> order(contenders_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto start_at = [&](std::size_t first) {
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(first), order.end());
  };
  switch (rotation_) {
    case Rotation::kRoundRobin:
      start_at(by_weight(well));
      break;
    case Rotation::kSequential:
      start_at(next(well));
      break;
    case Rotation::kMasterSlave:
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return contenders_[a].weight > contenders_[b].weight;
      });
      break;
    case Rotation::kHash:
    case Rotation::kRandom:
      order = drawn(key);
      break;
  }
  std::stable_partition(order.begin(), order.end(), [&](std::size_t s) { return well[s]; });
  return order;
}

std::size_t ServerSelection::by_weight(const std::vector<bool>& well) {
  const bool any = std::find(well.begin(), well.end(), true) != well.end();
  std::int64_t total = 0;
  std::size_t best = contenders_.size();
  for (std::size_t s = 0; s < contenders_.size(); ++s) {
    if (any && !well[s]) continue;
    total += contenders_[s].weight;
    credit_[s] += contenders_[s].weight;
    if (best == contenders_.size() || credit_[s] > credit_[best]) best = s;
  }
  if (best == contenders_.size()) return 0;
  credit_[best] -= total;
  return best;
}

std::size_t ServerSelection::next(const std::vector<bool>& well) {
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    const std::size_t server = turn_++ % contenders_.size();
    if (well[server]) return server;
  }
  return contenders_.empty() ? 0 : turn_++ % contenders_.size();
}

std::vector<std::size_t> ServerSelection::drawn(std::uint64_t key) const {
  std::vector<std::pair<double, std::size_t>> draws;
  for (std::size_t s = 0; s < contenders_.size(); ++s)
    draws.emplace_back(draw(contenders_[s], key), s);
  std::sort(draws.begin(), draws.end());
  std::vector<std::size_t> order;
  order.reserve(draws.size());
  for (const auto& [number, server] : draws) order.push_back(server);
  return order;
}

}  // namespace shingled::storage::client
