#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
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

/// The id of a client address that is stored with a hash. It never changes and is the same on all
/// servers. It is 0 only by chance (2^-64).
std::uint64_t source_id(const IpAddress& address);

/// Finds the address with this id among the first kSourcesTried addresses of each network.
/// Returns nullopt if none of them has the id.
/// Cost: 0.3 us per address.
inline constexpr std::uint32_t kSourcesTried = 65'536;
std::optional<IpAddress> find_source(std::uint64_t name, std::span<const Network> networks);

}  // namespace shingled::storage::access
