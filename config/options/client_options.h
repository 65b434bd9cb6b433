#pragma once

#include <string>

namespace shingled {

/// Section `client`: the daemon that commands ask, if it is not that of this machine.
struct ClientOptions {
  /// "https://HOST[:PORT][/PREFIX]", "http://…" or "unix:/PATH"; empty = the daemon of `http`.
  std::string server;
  std::string key_file;  ///< the key of `shingled key add`, in a line; empty = none
  std::string ca_file;   ///< certificates to trust, PEM; empty = those of the system

  friend bool operator==(const ClientOptions&, const ClientOptions&) = default;
};

}  // namespace shingled
