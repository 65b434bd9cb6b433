#include "storage/client/upstreams.h"

#include <algorithm>

namespace shingled::storage {

Upstreams::Upstreams(const std::vector<std::vector<SocketAddress>>& servers,
                     std::uint32_t errors_max, Duration rest)
    : servers_(servers.size()), errors_max_(errors_max), rest_(rest) {
  for (std::size_t s = 0; s < servers.size(); ++s) {
    for (const SocketAddress& address : servers[s])
      endpoints_.push_back({address, address.to_string(), s});
  }
  state_.lock()->health.resize(endpoints_.size());
}

std::vector<std::size_t> Upstreams::in_turn(TimePoint now) {
  auto state = state_.lock();
  const std::size_t first = state->turn++ % servers_;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < servers_; ++i) {
    const std::size_t server = (first + i) % servers_;
    for (std::size_t e = 0; e < endpoints_.size(); ++e) {
      if (endpoints_[e].server == server) order.push_back(e);
    }
  }
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t e) { return now >= state->health[e].rests_until; });
  return order;
}

std::vector<std::size_t> Upstreams::of_server(std::size_t server, TimePoint now) {
  auto state = state_.lock();
  std::vector<std::size_t> order;
  for (std::size_t e = 0; e < endpoints_.size(); ++e) {
    if (endpoints_[e].server == server) order.push_back(e);
  }
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t e) { return now >= state->health[e].rests_until; });
  return order;
}

void Upstreams::answered(std::size_t endpoint) {
  Health& health = state_.lock()->health[endpoint];
  health.errors = 0;
  health.rests_until = {};
}

void Upstreams::failed(std::size_t endpoint, TimePoint now) {
  auto state = state_.lock();
  Health& health = state->health[endpoint];
  health.speech = Speech::kUnknown;  // perhaps another server stands there now
  if (++health.errors < errors_max_) return;
  health.errors = 0;
  health.rests_until = now + rest_;
}

Speech Upstreams::speech(std::size_t endpoint) { return state_.lock()->health[endpoint].speech; }

void Upstreams::learn(std::size_t endpoint, Speech speech) {
  state_.lock()->health[endpoint].speech = speech;
}

}  // namespace shingled::storage
