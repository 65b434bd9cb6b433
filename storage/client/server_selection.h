#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "config/options/server_list.h"

namespace shingled::storage::client {

/// One server of a rotation.
struct Contender {
  std::uint64_t identity = 0;  ///< for hash rotation: the same in every process for one server
  std::uint32_t weight = 1;
};

/// Decides in which order the servers of a list are tried: the rotation. Has no clock, no lock and
/// no knowledge of health.
///
/// Round-robin is the smooth kind: with the weights 5, 1 and 1 the turns are a a b a c a a. Hash
/// and random both use rendezvous hashing (highest random weight): a number is drawn for each
/// server from the key and its identity, and the best number wins. So a server that is added or
/// removed moves only its own share of the questions.
/// Threads: one thread.
/// Cost: O(n log n) for a list of n.
class ServerSelection {
 public:
  ServerSelection(Rotation rotation, std::vector<Contender> contenders);

  /// Returns all servers in the order to try them: the healthy ones (`well`) first. `key`: the hash
  /// of the question (hash rotation) or a random number (random). Each call moves the turn on.
  std::vector<std::size_t> order(const std::vector<bool>& well, std::uint64_t key);

 private:
  [[nodiscard]] std::size_t by_weight(const std::vector<bool>& well);
  [[nodiscard]] std::size_t next(const std::vector<bool>& well);
  [[nodiscard]] std::vector<std::size_t> drawn(std::uint64_t key) const;

  Rotation rotation_;
  std::vector<Contender> contenders_;
  std::vector<std::int64_t> credit_;  // for the smooth round-robin
  std::size_t turn_ = 0;
};

/// The identity of the server with this name.
std::uint64_t identity_of(std::string_view name);

}  // namespace shingled::storage::client
