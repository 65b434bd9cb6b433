#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"
#include "config/system/socket_address.h"

namespace shingled {

/// Which server of a list is asked first; the others are only asked if it fails.
enum class Rotation : std::uint8_t {
  kRoundRobin,   ///< in turn, by weight
  kSequential,   ///< in turn, without weights
  kMasterSlave,  ///< the largest weight, of equal ones the first in the list
  kHash,         ///< chosen by the digest: equal questions reach the same server
  kRandom,       ///< at random, by weight
};

/// The name of a rotation, as before a list: "master-slave".
std::string_view to_string(Rotation rotation);

/// One entry of a list of servers.
struct ServerSpec {
  SocketSpec socket;         ///< host and port; with `service` the host is a domain
  std::string service;       ///< of an SRV record of that domain; empty = no SRV record
  std::uint32_t weight = 1;  ///< 1 to 1000

  static constexpr std::uint32_t kWeightMax = 1000;

  /// HOST[:PORT[:WEIGHT]], [IPV6][:PORT[:WEIGHT]], another notation of SocketSpec, or
  /// service=NAME+DOMAIN[:WEIGHT]. `default_port` is used if the text has no port; 0 = a port is
  /// required.
  /// Errors: kInvalid with what is allowed.
  static Result<ServerSpec> parse(std::string_view text, std::uint16_t default_port = 0);
  /// As `parse` reads it, without the weight: the name of the server in messages.
  [[nodiscard]] std::string to_string() const;
  friend bool operator==(const ServerSpec&, const ServerSpec&) = default;
};

/// The servers of one remote service.
struct ServerList {
  Rotation rotation = Rotation::kRoundRobin;
  std::vector<ServerSpec> servers;

  [[nodiscard]] bool empty() const { return servers.empty(); }
  [[nodiscard]] std::size_t size() const { return servers.size(); }
  friend bool operator==(const ServerList&, const ServerList&) = default;
};

/// Takes "ROTATION:" off the front of the first entry of a list. Without it `rotation` stays.
std::string_view take_rotation(std::string_view first_entry, Rotation& rotation);

}  // namespace shingled
