#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "config/system/socket_address.h"

namespace shingled {

/// What a program, a person or this machine may do over HTTP; exactly:
/// milter/http/accounts/rights.h.
/// Source:  our design "One HTTP service", 1.
enum class HttpRole : std::uint8_t { kOff, kMetrics, kRead, kCount, kReport, kChange };

/// Section `http`: the API of the running daemon.
struct HttpOptions {
  /// A unix socket has mode 0660. Empty = off.
  std::vector<SocketSpec> listen = {{SocketSpec::Kind::kInet, "127.0.0.1", 11340, ""}};
  std::string certificate;  ///< PEM; empty = no TLS
  std::string key;          ///< PEM; empty = in the file of the certificate
  bool plain = false;       ///< addresses beyond loopback may be without TLS
  HttpRole local = HttpRole::kChange;
  std::string keys_file = "/etc/shingled/http.keys";  ///< need not exist
  std::string users_file = "/etc/shingled/users";     ///< need not exist
  /// Connections at the same time for each address of `listen`; 16 to 10000.
  std::uint32_t connections_max = 256;
  std::chrono::seconds timeout{30};          ///< for a request and its answer together, 1s to 10m
  bool page = true;                          ///< what people look at, at "/"
  std::uint64_t body_bytes_max = 4U << 20U;  ///< of a request that is no report, 4K to 1G

  static constexpr std::uint32_t kMatchesMax = 100;  ///< stored hashes in one answer

  friend bool operator==(const HttpOptions&, const HttpOptions&) = default;
};

}  // namespace shingled
