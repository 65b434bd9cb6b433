#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "config/system/socket_address.h"

namespace shingled::storage::replication {

/// Who of the callers that have not yet proved who they are makes room for one more; nothing:
/// there is room. `unproved`: their addresses, who called first comes first.
///
/// The caller who comes always gets in, so nobody is kept out by connections that say nothing: of
/// his own address it is the oldest one beyond kUnprovedOfOneMax, beyond kUnprovedMax in all the
/// oldest one of the address that has most.
/// Threads: stateless.
/// Cost: O(n^2) of at most kUnprovedMax.
std::optional<std::size_t> who_makes_room(std::span<const IpAddress> unproved,
                                          const IpAddress& caller);

}  // namespace shingled::storage::replication
