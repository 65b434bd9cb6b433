#include "storage/access/network_set.h"

#include <algorithm>

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

}  // namespace shingled::storage::access
