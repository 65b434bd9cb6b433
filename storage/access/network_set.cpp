#include "storage/access/network_set.h"

#include <algorithm>

#include "storage/crypto/packet_cipher.h"

namespace shingled::storage::access {

NetworkSet::NetworkSet(const std::vector<Network>& networks) {
  for (const Network& network : networks) {
    auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) {
      return g.family == network.address.family && g.prefix_bits == network.prefix_bits;
    });
    if (group == groups_.end()) {
      group = groups_.insert(group, Group{network.address.family, network.prefix_bits, {}});
    }
    group->addresses.push_back(network.address.bytes);
  }
  for (Group& group : groups_) {
    std::sort(group.addresses.begin(), group.addresses.end());
    group.addresses.erase(std::unique(group.addresses.begin(), group.addresses.end()),
                          group.addresses.end());
  }
}

bool NetworkSet::contains(const IpAddress& ip) const {
  return std::any_of(groups_.begin(), groups_.end(), [&](const Group& group) {
    if (group.family != ip.family) return false;
    return std::binary_search(group.addresses.begin(), group.addresses.end(),
                              Network::of(ip, group.prefix_bits).address.bytes);
  });
}

namespace {

/// The next address; after the last one comes the first one.
IpAddress next(IpAddress address) {
  for (auto at = static_cast<std::size_t>(address.bits() / 8); at-- > 0;) {
    if (++address.bytes[at] != 0) break;
  }
  return address;
}

}  // namespace

std::uint64_t source_id(const IpAddress& address) {
  return ByteReader(crypto::content_id(address.bytes)).u64();
}

std::optional<IpAddress> find_source(std::uint64_t name, std::span<const Network> networks) {
  for (const Network& network : networks) {
    IpAddress address = network.address;
    for (std::uint32_t i = 0; i < kSourcesTried && network.contains(address); ++i) {
      if (source_id(address) == name) return address;
      address = next(address);
    }
  }
  return std::nullopt;
}

}  // namespace shingled::storage::access
