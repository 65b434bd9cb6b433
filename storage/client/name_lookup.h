#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/base/byte_reader.h"
#include "config/base/result.h"
#include "config/options/server_list.h"
#include "config/system/socket_address.h"
#include "storage/client/upstreams.h"

namespace shingled::storage::client {

/// Finds the addresses of a server by its name. An interface, so that tests can move servers.
/// Threads: any thread.
class NameLookup {
 public:
  virtual ~NameLookup() = default;
  /// Returns the server with at least one address.
  /// Errors: kNotFound (no such name), kUnavailable (ask again later).
  virtual Result<UpstreamServer> find(const ServerSpec& spec) = 0;
};

/// The look-up of the system: getaddrinfo(3) for hosts, the resolver library for SRV records.
///
/// For service=NAME+DOMAIN the record is _NAME._tcp.DOMAIN, which rspamd asks for with either
/// transport; if there is none, _NAME._udp.DOMAIN. All targets of the record are addresses of one
/// server, in the order of RFC 2782.
/// Threads: any thread.
/// Cost: may block for some seconds; a literal address does not block.
class SystemLookup final : public NameLookup {
 public:
  /// `key`: a random number of this process, which decides the order of SRV records of the same
  /// priority. `nameserver`: for tests, an IPv4 address to ask instead of those in resolv.conf.
  explicit SystemLookup(std::uint64_t key, std::optional<SocketAddress> nameserver = std::nullopt)
      : key_(key), nameserver_(nameserver) {}
  Result<UpstreamServer> find(const ServerSpec& spec) override;

  static constexpr std::size_t kAddressesMax = 32;  ///< per server; further ones are left out

 private:
  [[nodiscard]] Result<UpstreamServer> find_service(const ServerSpec& spec) const;

  std::uint64_t key_;
  std::optional<SocketAddress> nameserver_;
};

/// One host and port that offers a service.
/// Source: RFC 2782.
struct SrvRecord {
  std::uint16_t priority = 0;  ///< the smallest is tried first
  std::uint16_t weight = 0;    ///< the share of the questions among equal priorities
  std::uint16_t port = 0;
  std::string target;  ///< a host name, lower case, without the last dot

  friend bool operator==(const SrvRecord&, const SrvRecord&) = default;
};

inline constexpr std::size_t kSrvRecordsMax = 32;  ///< per answer; further ones are left out

/// Returns the SRV records in the answer section of a DNS message; empty if the answer says that
/// the service is not offered (target "."); nullopt if the message is not a complete, successful
/// response. Skips records of other types (CNAME) and targets that are not valid host names.
/// Input: bytes from a stranger.
/// Threads: stateless.
/// Cost: O(message), names bounded by RFC 1035.
std::optional<std::vector<SrvRecord>> parse_srv_answer(BytesView message);

/// Sorts records into the order to try them: by priority, and records of the same priority in a
/// random order drawn from `key`, where each is first as often as its weight says.
void order_srv(std::vector<SrvRecord>& records, std::uint64_t key);

}  // namespace shingled::storage::client
