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
inline constexpr std::size_t kCommandBytesMax = 1024;  ///< a longer datagram is not a command
static_assert(kCommandBytes + kShingleBytes == 332, "the size of a command with shingles");

/// The command byte. Any other value is an unknown command.
enum class CommandCode : std::uint8_t {
  kCheck = 0,
  kWrite = 1,
  kDelete = 2,
  kStat = 3,
  kPing = 4,
  /// Our addition: DEL of one list. Other servers answer "success" and delete nothing, or abort
  /// (kOurMark).
  kDeleteFromList = 0x82,
};

constexpr bool is_update(CommandCode code) {
  return code == CommandCode::kWrite || code == CommandCode::kDelete ||
         code == CommandCode::kDeleteFromList;
}

/// The version byte. The low four bits are the version. With version 4, bit 4 asks for a reply in
/// form v2. Bit 7 marks a weak WRITE. Bits 5 and 6 have no meaning.
inline constexpr std::uint8_t kVersionMask = 0x0f;
inline constexpr std::uint8_t kVersionShort = 3;      ///< 16-byte replies, no extensions
inline constexpr std::uint8_t kVersionLong = 4;       ///< 96-byte replies; every server knows it
inline constexpr std::uint8_t kVersionFlags = 5;      ///< 144-byte replies
inline constexpr std::uint8_t kVersionLongV2 = 0x14;  ///< 4 with bit 4: 144-byte replies
inline constexpr std::uint8_t kVersionWeakBit = 0x80;

/// Whether extensions may follow a command with this version byte.
constexpr bool has_extensions(std::uint8_t version) {
  return (version & kVersionMask) != kVersionShort;
}

/// One request, with the fields that it has on the wire (PROTOCOL.md 1.1).
struct Command {
  std::uint8_t version = kVersionLong;  ///< the whole byte
  CommandCode code = CommandCode::kCheck;
  std::uint8_t shingle_count = 0;  ///< 0 = none; any other value: all 32 follow
  std::uint8_t flag = 0;
  std::int32_t value = 0;
  std::uint32_t tag = 0;
  Digest digest;
  Shingles shingles{};   ///< valid if shingle_count is not 0
  BytesView extensions;  ///< points into the packet; well-formed if from `decode_command`

  [[nodiscard]] const Shingles* shingles_or_null() const {
    return shingle_count != 0 ? &shingles : nullptr;
  }
};

}  // namespace shingled::storage::protocol
