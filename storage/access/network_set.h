#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "config/system/socket_address.h"

namespace shingled::storage::access {

/// Networks to look an address up in, however many there are.
///
/// Threads: immutable, any thread.
/// Cost: a binary search for each prefix length that occurs; no allocation.
class NetworkSet {
 public:
  NetworkSet() = default;
  explicit NetworkSet(const std::vector<Network>& networks);

  [[nodiscard]] bool contains(const IpAddress& ip) const;
  [[nodiscard]] bool empty() const { return groups_.empty(); }

 private:
  struct Group {  // the networks of one family and length
    IpAddress::Family family = IpAddress::Family::kV4;
    int prefix_bits = 0;
    std::vector<std::array<std::uint8_t, 16>> addresses;  // sorted
  };
  std::vector<Group> groups_;
};

}  // namespace shingled::storage::access
