#include "storage/replication/crowd.h"

#include <algorithm>

#include "storage/replication/limits.h"

namespace shingled::storage::replication {

std::optional<std::size_t> who_makes_room(std::span<const IpAddress> unproved,
                                          const IpAddress& caller) {
  const auto held_by = [&](const IpAddress& ip) {
    return static_cast<std::size_t>(std::ranges::count(unproved, ip));
  };
  const auto first_of = [&](const IpAddress& ip) {
    return static_cast<std::size_t>(std::ranges::find(unproved, ip) - unproved.begin());
  };
  if (held_by(caller) >= kUnprovedOfOneMax) return first_of(caller);
  if (unproved.size() < kUnprovedMax) return std::nullopt;
  const auto most = std::ranges::max_element(unproved, {}, held_by);
  return first_of(*most);
}

}  // namespace shingled::storage::replication
