#pragma once

#include <string>
#include <string_view>

#include "config/base/result.h"
#include "config/system/socket_address.h"

namespace shingled::milter::http {

/// Where an HTTP service is, and how a client speaks to it.
/// Threads: a value.
struct Endpoint {
  SocketSpec socket;
  std::string host = "localhost";  ///< the field Host
  std::string prefix = {};         ///< in front of every path: "/shingled" of a proxy
  bool tls = false;
  std::string ca_file = {};  ///< certificates to trust, PEM; empty = those of the system
  bool own = false;      ///< `ca_file` is the certificate of the service itself, for whatever name
  std::string key = {};  ///< of the program; empty = none

  [[nodiscard]] std::string name() const { return socket.to_string(); }
};

/// Reads "https://HOST[:PORT][/PREFIX]", "http://…" and "unix:/PATH"; the standard port is 11340.
/// Errors: kInvalid, with what is allowed.
Result<Endpoint> parse_endpoint(std::string_view url);

/// Text as it may stand in a path or a query: everything but letters and digits as %XX.
std::string percent_encoded(std::string_view text);

}  // namespace shingled::milter::http
