#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "config/system/socket_address.h"
#include "milter/http/access.h"
#include "milter/http/tls_identity.h"

namespace shingled::milter::http {

/// How an HttpServer serves, made from section `http`.
struct HttpServerOptions {
  std::string option = "http.listen";  ///< names the listener in errors
  std::vector<SocketSpec> listen;      ///< a unix socket has mode 0660
  TlsFiles tls;
  AccessOptions access;
  /// Connections at the same time for each address of `listen`; an eighth of them, at least 8, for
  /// one client address.
  std::uint32_t connections_max = 256;
  std::chrono::seconds timeout{30};  ///< for a request and its answer together
  /// Of the body of a request that may do something. Others must not have one.
  std::uint64_t body_bytes_max = 0;
  std::uint32_t bodies_max = 16;  ///< bodies of the greatest length in memory at the same time
  std::uint32_t threads = 2;      ///< for each address
};

}  // namespace shingled::milter::http
