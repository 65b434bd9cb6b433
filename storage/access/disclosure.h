#pragma once

#include <bitset>
#include <chrono>
#include <cstdint>

#include "config/base/clock.h"
#include "storage/model/fuzzy_store.h"
#include "storage/protocol/reply.h"

namespace shingled::storage::access {

/// A set of lists, by flag. It cannot contain a flag above 255: on the wire a flag has eight bits.
using FlagBits = std::bitset<256>;

/// Which matching hashes are hidden from one client.
struct Visibility {
  FlagBits forbidden;             ///< hits on these lists are hidden
  std::chrono::seconds delay{0};  ///< hashes younger than this are hidden
};

/// How a match was shown to the client.
enum class Shown : std::uint8_t {
  kHit,
  kSkipped,  ///< answered 401: the digest is in skip_hashes
  kDelayed,  ///< too young: the reply names its list and digest, but is not a hit
  kHidden,   ///< only on forbidden lists: the reply is a miss
};

/// Writes into `reply` what the client may see of `match` (PROTOCOL.md 5.2, 5.7). The caller has
/// set the tag and the digest of the question; if the client may see nothing, `reply` stays a miss.
/// `skipped`: the matched digest is in skip_hashes.
///
/// In form v2, if the first list is forbidden, the first list that is not forbidden takes its
/// place. In the other forms a forbidden first list hides the whole match. A hash is young for
/// `delay` and up to 50 % more, depending on its digest. The extra time is the same for each client
/// and each question, so a client learns nothing by asking often.
/// Threads: stateless.
Shown disclose(const Match& match, bool skipped, const Visibility& visibility,
               protocol::ReplyForm form, WallTime now, protocol::Reply& reply);

}  // namespace shingled::storage::access
