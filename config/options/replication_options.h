#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "config/options/storage_options.h"
#include "config/system/socket_address.h"

namespace shingled {

/// A store that is to have what we have: one host of an entry of `mirror`.
struct MirrorOptions {
  std::string name;  ///< for the log
  SocketSpec address;
  std::array<std::uint8_t, 32> key{};  ///< its public key

  friend bool operator==(const MirrorOptions&, const MirrorOptions&) = default;
};

/// Section `storage`, third part: who copies us and whom we copy.
struct ReplicationOptions {
  std::vector<Network> masters;  ///< may push to us; none = we listen to nobody
  std::vector<std::array<std::uint8_t, 32>> master_key;  ///< their public keys
  /// A connection on which nothing came for so long is given up, 1s to 1h.
  std::chrono::seconds master_timeout{10};
  std::vector<SocketSpec> listen = {{SocketSpec::Kind::kInet, "", 11336, ""}};  ///< for masters
  std::vector<Keypair> sync_keypair;      ///< ours, on either side; at most one
  std::vector<MirrorOptions> mirrors;     ///< we push to them
  std::uint32_t journal_max = 1'000'000;  ///< changes kept for mirrors, 1000 to 1000000000

  friend bool operator==(const ReplicationOptions&, const ReplicationOptions&) = default;
};

}  // namespace shingled
