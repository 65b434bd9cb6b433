#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/options/server_list.h"

namespace shingled::storage::client {

/// One server as a rotation sees it.
struct Contender {
  std::uint64_t identity = 0;  ///< the same for the same server in every process: hash rotation
  std::uint32_t weight = 1;
};

/// In which order the servers of a list are tried: the rotation, without clock, health or lock.
///
/// Round-robin is the smooth kind: of weights 5, 1 and 1 the turns are a a b a c a a. Hash and
/// random are one idea, the highest random weight: each server draws a number from the key and its
/// identity, and the largest wins. So a server that goes or comes moves only its own share of the
/// questions.
/// Threads: one thread.
/// Cost: O(n log n) for a list of n.
class ServerSelection {
 public:
  ServerSelection(Rotation rotation, std::vector<Contender> contenders);

  /// All servers, in the order to try them: first those of `well`, then the others.
  /// `key`: what hash looks at, and random's number. Each call moves the turn on.
  std::vector<std::size_t> order(const std::vector<bool>& well, std::uint64_t key);

 private:
  [[nodiscard]] std::size_t by_weight(const std::vector<bool>& well);
  [[nodiscard]] std::size_t next(const std::vector<bool>& well);
  [[nodiscard]] std::vector<std::size_t> drawn(std::uint64_t key) const;

  Rotation rotation_;
  std::vector<Contender> contenders_;
  std::vector<std::int64_t> credit_;  // of the smooth round-robin
  std::size_t turn_ = 0;
};

/// The identity of a server of this name.
std::uint64_t identity_of(std::string_view name);

}  // namespace shingled::storage::client
