#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mime/fingerprint/fingerprint.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::storage::protocol {

inline constexpr std::size_t kExtraFlagsMax = 7;
static_assert(kExtraFlagsMax + 1 == kFlagsMax, "the first flag and the extra flags");

/// The three forms of a reply, by length. The form depends only on the version of the request.
enum class ReplyForm : std::uint8_t {
  kShort = 16,  ///< value, flag, tag, probability
  kV1 = 96,     ///< also digest, time, MATCHED
  kV2 = 144,    ///< also the extra flags
};
inline constexpr std::size_t kReplyBytesMax = 144;

constexpr std::size_t size_of(ReplyForm form) { return static_cast<std::size_t>(form); }

/// The value in the reply to a refused request; its probability is 0.
inline constexpr std::int32_t kStatusSkipped = 401;    ///< this digest is never stored
inline constexpr std::int32_t kStatusForbidden = 403;  ///< rate limit; old servers: any reason
inline constexpr std::int32_t kStatusNotEncrypted =
    415;  ///< the server accepts only sealed packets
inline constexpr std::int32_t kStatusNotPermitted = 503;  ///< no right to update
inline constexpr std::int32_t kStatusStoreAway = 504;  ///< CHECK: store not reachable; our addition

/// Our servers set the time of a STAT reply, where other servers have 0. The upper 24 bits mark one
/// of our servers, and the lower eight bits say which additions it knows. A client must ask before
/// it sends an addition: other servers acknowledge an unknown update and ignore it, or abort.
inline constexpr std::uint32_t kOurMark = 0x73686700;  ///< "shg"
inline constexpr std::uint32_t kKnowsDeleteFromList = 1;
inline constexpr std::uint32_t kKnowsOldCompanion = 2;  ///< extension 0x81
inline constexpr std::uint32_t kKnowsCompanion = 4;     ///< extension 0xf1

/// One reply, with the fields that it has on the wire (PROTOCOL.md 2.1). It is a hit if
/// `probability` is above kHitProbability.
struct Reply {
  std::int32_t value = 0;
  std::uint32_t flag = 0;
  std::uint32_t tag = 0;
  float probability = 0;
  Digest digest;
  std::uint32_t time = 0;  ///< Unix seconds
  bool matched = false;    ///< `digest` is that of the stored hash
  std::uint8_t extra_count = 0;
  std::array<FlagValue, kExtraFlagsMax> extra{};

  friend bool operator==(const Reply&, const Reply&) = default;
};

/// A reply is a hit if its probability is above this value.
inline constexpr float kHitProbability = 0.5F;

}  // namespace shingled::storage::protocol
