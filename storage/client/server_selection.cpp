#include "storage/client/server_selection.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace shingled::storage::client {

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
