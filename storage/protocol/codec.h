#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "config/base/byte_reader.h"
#include "mime/fingerprint/fingerprint.h"
#include "storage/protocol/command.h"
#include "storage/protocol/reply.h"

namespace shingled::storage::protocol {

// Bytes to values and back, not encrypted. Bytes that are not exactly one command or one reply are
// refused.
// Threads: stateless.
// Cost: no allocation.
// Source: storage/PROTOCOL.md.

/// Reads the command in a datagram. Returns nullopt for another version, for a length that the
/// version does not allow, and for malformed extensions. `extensions` of the result points into
/// `packet`.
std::optional<Command> decode_command(BytesView packet);

/// Writes a command and returns its length, or 0 if `out` is too small.
std::size_t encode_command(const Command& command, std::span<std::uint8_t> out);

/// The form of the reply to a request with this version byte.
ReplyForm reply_form(std::uint8_t version);

/// Reads the reply in a datagram; its length says its form. Returns nullopt for any other length.
/// Extra flags beyond their count are ignored, because some servers leave old data there.
std::optional<Reply> decode_reply(BytesView packet);

/// Writes a reply in `form` and returns its length, or 0 if `out` is too small. Unused bytes are
/// zero.
std::size_t encode_reply(const Reply& reply, ReplyForm form, std::span<std::uint8_t> out);

// Extensions can follow a command of version 4 or 5 (PROTOCOL.md 1.3). They do not change the
// answer. We check that they are well-formed; we use and send only kCompanion.

/// The extension types that have a meaning.
enum class ExtensionType : std::uint8_t {
  kSourceV4 = 0x34,      ///< 4 bytes, network order
  kSourceV6 = 0x36,      ///< 16 bytes, network order
  kDomain = 0x64,        ///< domain of the MIME From, 0 to 255 bytes
  kSenderFacts = 0x80,   ///< 4 bytes, big-endian
  kOldCompanion = 0x81,  ///< kCompanion, as our clients named it before
  kCompanion = 0xf1,     ///< our addition, in a WRITE: 64 bytes, a digest to delete with this one
};

struct Extension {
  std::uint8_t type = 0;
  BytesView payload;
};

/// Reads the extensions of a command one by one, without a copy.
/// Threads: one thread.
/// Cost: one pass over the bytes.
class ExtensionReader {
 public:
  explicit ExtensionReader(BytesView extensions) : rest_(extensions) {}

  /// The next extension; nullopt at the end, and from the first malformed extension on. Unknown
  /// types of 0x81 and above are returned, too. An unknown type below 0x80 is malformed, because
  /// its length is not known.
  std::optional<Extension> next();
  /// False after a malformed extension.
  [[nodiscard]] bool ok() const { return rest_.ok(); }

 private:
  ByteReader rest_;
};

/// The size of a kCompanion extension, with the bytes for type and length.
inline constexpr std::size_t kCompanionBytes = 2 + kDigestBytes;

/// Whether these bytes are well-formed extensions.
bool are_extensions(BytesView bytes);

/// The digest in the last kCompanion or kOldCompanion; nullopt if there is none. `bytes` are
/// well-formed extensions.
std::optional<Digest> companion_in(BytesView bytes);

/// Makes an extension that names a companion, to be appended to a command. `type`: kOldCompanion
/// for a server that knows no other.
std::array<std::uint8_t, kCompanionBytes> companion_extension(
    const Digest& companion, ExtensionType type = ExtensionType::kCompanion);

}  // namespace shingled::storage::protocol
