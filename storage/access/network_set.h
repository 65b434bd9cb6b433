#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "config/system/socket_address.h"

namespace shingled::storage::access {

/// A set of networks. Looking up an address is quick even if there are many networks.
///
/// Threads: immutable, any thread.
/// Cost of `contains`: a binary search for each prefix length in the set; no allocation.
class NetworkSet {
 public:
  NetworkSet() = default;
  explicit NetworkSet(const std::vector<Network>& networks);

  [[nodiscard]] bool contains(const IpAddress& ip) const;
  [[nodiscard]] bool empty() const { return groups_.empty(); }

 private:
  struct Group {  // the networks of one family and prefix length
    IpAddress::Family family = IpAddress::Family::kV4;
    int prefix_bits = 0;
    std::vector<std::array<std::uint8_t, 16>> addresses;  // sorted
  };
  std::vector<Group> groups_;
};

}  // namespace shingled::storage::access
