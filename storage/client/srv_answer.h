#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/base/byte_reader.h"

namespace shingled::storage::client {

/// One place where a service is offered.
/// Source: RFC 2782.
struct SrvRecord {
  std::uint16_t priority = 0;  ///< the smallest is tried first
  std::uint16_t weight = 0;    ///< among equal priorities: the share of the questions
  std::uint16_t port = 0;
  std::string target;  ///< a host name, lower case, without the last dot

  friend bool operator==(const SrvRecord&, const SrvRecord&) = default;
};

inline constexpr std::size_t kSrvRecordsMax = 32;  ///< of one answer; the rest is left out

/// The SRV records in the answer section of a DNS message; none where the service is said not to be
/// offered (target "."). Nothing for what is not a whole, successful response. Records of other
/// types (CNAME on the way) are passed over, as are targets that are no host name.
/// Input: bytes from a stranger.
/// Threads: stateless.
/// Cost: O(message), names bounded by RFC 1035.
std::optional<std::vector<SrvRecord>> parse_srv_answer(BytesView message);

/// In the order to try them: by priority, and within one in an order drawn from `key` in which each
/// record stands first as often as its weight says.
void order_srv(std::vector<SrvRecord>& records, std::uint64_t key);

}  // namespace shingled::storage::client
