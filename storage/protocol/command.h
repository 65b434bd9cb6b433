#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "config/base/byte_reader.h"
#include "mime/fingerprint/fingerprint.h"

namespace shingled::storage::protocol {

inline constexpr std::uint16_t kFuzzyPort = 11335;
inline constexpr std::size_t kCommandBytes = 76;
inline constexpr std::size_t kShingleBytes = kShingleCount * sizeof(std::uint64_t);
inline constexpr std::size_t kCommandBytesMax = 1024;  ///< a longer datagram is no command
static_assert(kCommandBytes + kShingleBytes == 332, "the size of a command with shingles");

/// The command byte. Any other value is a command this protocol has no name for.
enum class CommandCode : std::uint8_t {
  kCheck = 0,
  kWrite = 1,
  kDelete = 2,
  kStat = 3,
  kPing = 4,
  /// Ours alone: DEL of one list. Others say yes and delete nothing, or worse (kOurMark).
  kDeleteFromList = 0x82,
};

constexpr bool is_update(CommandCode code) {
  return code == CommandCode::kWrite || code == CommandCode::kDelete ||
         code == CommandCode::kDeleteFromList;
}

/// The version byte: the low nibble is the version, bit 4 asks a version 4 reply to be of form v2,
/// bit 7 marks a weak WRITE; bits 5 and 6 mean nothing.
inline constexpr std::uint8_t kVersionMask = 0x0f;
inline constexpr std::uint8_t kVersionShort = 3;      ///< 16-byte replies, no extensions
inline constexpr std::uint8_t kVersionLong = 4;       ///< 96-byte replies: every server knows it
inline constexpr std::uint8_t kVersionFlags = 5;      ///< 144-byte replies
inline constexpr std::uint8_t kVersionLongV2 = 0x14;  ///< 4 with bit 4: 144-byte replies
inline constexpr std::uint8_t kVersionWeakBit = 0x80;

/// Whether anything may follow a command of this version byte.
constexpr bool has_extensions(std::uint8_t version) {
  return (version & kVersionMask) != kVersionShort;
}

/// One request, as it stands on the wire (PROTOCOL.md 1.1).
struct Command {
  std::uint8_t version = kVersionLong;  ///< the whole byte
  CommandCode code = CommandCode::kCheck;
  std::uint8_t shingle_count = 0;  ///< any value but 0: all 32 follow
  std::uint8_t flag = 0;
  std::int32_t value = 0;
  std::uint32_t tag = 0;
  Digest digest;
  Shingles shingles{};   ///< only with shingle_count
  BytesView extensions;  ///< lent by the packet; well-formed when `decode_command` made it

  [[nodiscard]] const Shingles* shingles_or_null() const {
    return shingle_count != 0 ? &shingles : nullptr;
  }
};

}  // namespace shingled::storage::protocol
