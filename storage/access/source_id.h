#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "config/system/socket_address.h"

namespace shingled::storage::access {

/// The id of a client address that is stored with a hash. It never changes and is the same on all
/// servers. It is 0 only by chance (2^-64).
std::uint64_t source_id(const IpAddress& address);

/// Finds the address with this id among the first kSourcesTried addresses of each network.
/// Returns nullopt if none of them has the id.
/// Cost: 0.3 us per address.
inline constexpr std::uint32_t kSourcesTried = 65'536;
std::optional<IpAddress> find_source(std::uint64_t name, std::span<const Network> networks);

}  // namespace shingled::storage::access
