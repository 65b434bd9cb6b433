#pragma once

#include <optional>

#include "config/base/result.h"
#include "config/options/server_list.h"
#include "config/system/socket_address.h"
#include "storage/client/upstreams.h"

namespace shingled::storage::client {

/// From the name of a server to its addresses. An interface, so that tests move servers.
/// Threads: any thread.
class NameLookup {
 public:
  virtual ~NameLookup() = default;
  /// At least one address.
  /// Errors: kNotFound (no such name), kUnavailable (ask again later).
  virtual Result<UpstreamServer> find(const ServerSpec& spec) = 0;
};

/// The system's: getaddrinfo(3) for hosts, SRV records through the resolver library.
///
/// For service=NAME+DOMAIN the record is _NAME._tcp.DOMAIN, which rspamd asks for, whatever the
/// transport; where there is none, _NAME._udp.DOMAIN. All its targets are addresses of one server,
/// in the order of RFC 2782.
/// Threads: any thread.
/// Cost: may block for some seconds; no name, no blocking.
class SystemLookup final : public NameLookup {
 public:
  /// `key` draws the order among SRV records of one priority: a number of this process.
  /// `nameserver`: an IPv4 address to ask instead of those of resolv.conf, for tests.
  explicit SystemLookup(std::uint64_t key, std::optional<SocketAddress> nameserver = std::nullopt)
      : key_(key), nameserver_(nameserver) {}
  Result<UpstreamServer> find(const ServerSpec& spec) override;

  static constexpr std::size_t kAddressesMax = 32;  ///< of one server; the rest is left out

 private:
  [[nodiscard]] Result<UpstreamServer> find_service(const ServerSpec& spec) const;

  std::uint64_t key_;
  std::optional<SocketAddress> nameserver_;
};

}  // namespace shingled::storage::client
