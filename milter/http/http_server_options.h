#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "config/options/counter_options.h"
#include "config/options/status_options.h"
#include "config/system/socket_address.h"

namespace shingled::milter::http {

/// How an HttpServer serves, made from the section of its listener.
struct HttpServerOptions {
  enum class Access : std::uint8_t {
    kAnyone,    ///< pages decide by HttpRequest::direct
    kWithKeys,  ///< over a unix socket, or with a key; others get 401
  };

  std::string option;              ///< names the listener in errors: "status.listen"
  std::vector<SocketSpec> listen;  ///< a unix socket has mode 0660
  /// Connections at the same time for each address of `listen`, half of them for one client
  /// address.
  std::uint32_t connections_max = 64;
  std::chrono::seconds timeout{10};  ///< for a request and its answer together
  /// Of the body of a request that is direct or authorised. Others must not have one.
  std::uint64_t body_bytes_max = 0;
  std::uint32_t bodies_max = 16;  ///< bodies of the greatest length in memory at the same time
  Access access = Access::kAnyone;
  std::string keys_file;      ///< of kWithKeys; needed for addresses of a network
  bool keep_alive = false;    ///< a connection may have several requests
  std::uint32_t threads = 1;  ///< for each address
};

/// The bounds of a server whose requests have additions to counters (`of_counters` bytes) and
/// reports (`of_reports`) as bodies. Reports may be turned on by a reload, when the bounds are
/// fixed. All bodies together have about as much memory as additions alone.
inline HttpServerOptions with_bodies(HttpServerOptions options, std::uint64_t of_counters,
                                     std::uint64_t of_reports) {
  constexpr std::uint32_t kBodiesLeast = 4;
  options.body_bytes_max = std::max<std::uint64_t>({of_counters, of_reports, 1});
  options.bodies_max = std::max(
      kBodiesLeast,
      static_cast<std::uint32_t>(options.bodies_max * of_counters / options.body_bytes_max));
  return options;
}

inline HttpServerOptions http_options(const StatusOptions& from) {
  HttpServerOptions out;
  out.option = "status.listen";
  out.listen = from.listen;
  out.connections_max = from.connections_max;
  out.timeout = from.timeout;
  return out;
}

inline HttpServerOptions http_options(const CounterServiceOptions& from) {
  HttpServerOptions out;
  out.option = "counters.listen";
  out.listen = from.listen;
  out.connections_max = from.connections_max;
  out.timeout = from.timeout;
  out.body_bytes_max = from.body_bytes_max;
  out.access = HttpServerOptions::Access::kWithKeys;
  out.keys_file = from.keys_file;
  out.keep_alive = true;
  out.threads = 2;
  return out;
}

}  // namespace shingled::milter::http
