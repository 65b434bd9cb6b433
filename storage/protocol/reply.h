#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mime/fingerprint/fingerprint.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::storage::protocol {

inline constexpr std::size_t kExtraFlagsMax = 7;
static_assert(kExtraFlagsMax + 1 == kFlagsMax, "the primary flag and the extra ones");

/// The three lengths of a reply; which one depends on the version of the request alone.
enum class ReplyForm : std::uint8_t {
  kShort = 16,  ///< value, flag, tag, probability
  kV1 = 96,     ///< also digest, time, MATCHED
  kV2 = 144,    ///< also the extra flags
};
inline constexpr std::size_t kReplyBytesMax = 144;

constexpr std::size_t size_of(ReplyForm form) { return static_cast<std::size_t>(form); }

/// What a refused request gets as its value, with probability 0.
inline constexpr std::int32_t kStatusSkipped = 401;       ///< this digest is never stored
inline constexpr std::int32_t kStatusForbidden = 403;     ///< rate limit; old servers: any refusal
inline constexpr std::int32_t kStatusNotEncrypted = 415;  ///< the server takes sealed packets only
inline constexpr std::int32_t kStatusNotPermitted = 503;  ///< no right to update
inline constexpr std::int32_t kStatusStoreAway = 504;     ///< CHECK: nobody knows; ours alone

/// What the reply to a STAT has as its time, where other servers have 0: the upper 24 bits say that
/// it is one of ours, the lower eight what it knows beyond their commands. A client must not try:
/// others acknowledge an update without a name and ignore it, or end themselves.
inline constexpr std::uint32_t kOurMark = 0x73686700;  ///< "shg"
inline constexpr std::uint32_t kKnowsDeleteFromList = 1;
inline constexpr std::uint32_t kKnowsCompanion = 2;

/// One answer, as it stands on the wire (PROTOCOL.md 2.1). A hit iff `probability` > 0.5.
struct Reply {
  std::int32_t value = 0;
  std::uint32_t flag = 0;
  std::uint32_t tag = 0;
  float probability = 0;
  Digest digest;
  std::uint32_t time = 0;  ///< Unix seconds
  bool matched = false;    ///< `digest` is the stored one
  std::uint8_t extra_count = 0;
  std::array<FlagValue, kExtraFlagsMax> extra{};

  friend bool operator==(const Reply&, const Reply&) = default;
};

/// The value from which on a probability is a hit, not included.
inline constexpr float kHitProbability = 0.5F;

}  // namespace shingled::storage::protocol
