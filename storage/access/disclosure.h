#pragma once

#include <bitset>
#include <chrono>
#include <cstdint>

#include "config/base/clock.h"
#include "storage/model/fuzzy_store.h"
#include "storage/protocol/reply.h"

namespace shingled::storage::access {

/// A set of lists, by flag. A flag beyond the wire's eight bits is in none.
using FlagBits = std::bitset<256>;

/// What one client does not see of the hashes that match.
struct Visibility {
  FlagBits forbidden;             ///< hits on these lists
  std::chrono::seconds delay{0};  ///< hashes that are younger
};

/// What became of a match.
enum class Shown : std::uint8_t {
  kHit,
  kSkipped,  ///< answered 401: the digest is one of skip_hashes
  kDelayed,  ///< too young: its list and digest are named, but it is no hit
  kHidden,   ///< on forbidden lists alone; as if there were none
};

/// Puts into `reply` what may be seen of `match` (PROTOCOL.md 5.2, 5.7); the reply has its
/// tag and the asked digest already and stays a miss where nothing may be seen. `skipped`: the
/// matched digest is one of skip_hashes.
///
/// In form v2 the first list that is not forbidden takes the place of a forbidden first one; in the
/// other forms a forbidden first list hides all. A hash is young for `delay`, and up to half as
/// long again, by its digest: the same for everybody and every time, so asking often tells nothing.
/// Threads: stateless.
/// Cost: none worth telling.
Shown disclose(const Match& match, bool skipped, const Visibility& visibility,
               protocol::ReplyForm form, WallTime now, protocol::Reply& reply);

}  // namespace shingled::storage::access
