#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/base/byte_reader.h"

namespace shingled::storage::client {

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
