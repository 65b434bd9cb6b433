#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/system/socket_address.h"

namespace shingled::milter::http {

/// Checks the header Host of requests from this machine: which names belong to this server.
///
/// A page in a browser on this machine could make its own name resolve to this server (DNS
/// rebinding), and the browser would let it read all replies. Such a page has a name that the
/// attacker chose. So only these are accepted: addresses, localhost, the name of this machine and
/// the names of its listener.
/// Threads: any thread after construction.
class HostCheck {
 public:
  /// `listen`: the addresses of this server.
  HostCheck(std::span<const SocketSpec> listen, std::string_view machine);

  /// `host`: as in the header, with or without a port, an IPv6 address in brackets, any case.
  [[nodiscard]] bool is_ours(std::string_view host) const;

 private:
  std::vector<std::string> names_;  ///< in lower case
};

/// `host` without its port and brackets.
std::string_view without_port(std::string_view host);

/// The name of this machine; "" if the system does not tell it.
std::string machine_name();

}  // namespace shingled::milter::http
