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

// Bytes <-> values, in the clear. What is not exactly one command or one reply is nothing.
// Threads: stateless.
// Cost: no allocation.
// Source: storage/PROTOCOL.md.

/// The command in a datagram. Nothing for another version, a length the version does not allow or
/// malformed extensions. `extensions` of the result points into `packet`.
std::optional<Command> decode_command(BytesView packet);

/// Writes a command and returns its length; 0 if it does not fit.
std::size_t encode_command(const Command& command, std::span<std::uint8_t> out);

/// What a request of this version byte is answered with.
ReplyForm reply_form(std::uint8_t version);

/// The reply in a datagram, its form told by its length. Extra flags beyond their count are
/// ignored: some servers leave old data there.
std::optional<Reply> decode_reply(BytesView packet);

/// Writes a reply of `form` and returns its length; 0 if it does not fit. Unused bytes are zero.
std::size_t encode_reply(const Reply& reply, ReplyForm form, std::span<std::uint8_t> out);

// What may follow a command of version 4 and 5 (PROTOCOL.md 1.3). It changes no answer: we
// look whether it is well-formed, and keep and send kCompanion alone.

/// The extension types with a meaning of their own.
enum class ExtensionType : std::uint8_t {
  kSourceV4 = 0x34,     ///< 4 bytes, network order
  kSourceV6 = 0x36,     ///< 16 bytes, network order
  kDomain = 0x64,       ///< domain of the MIME From, 0 to 255 bytes
  kSenderFacts = 0x80,  ///< 4 bytes, big-endian
  kCompanion = 0x81,    ///< ours, of a WRITE: 64 bytes, a digest that is deleted with this one
};

struct Extension {
  std::uint8_t type = 0;
  BytesView payload;
};

/// Walks over the extensions of a command without a copy.
/// Threads: one thread.
/// Cost: none beyond the bytes.
class ExtensionReader {
 public:
  explicit ExtensionReader(BytesView extensions) : rest_(extensions) {}

  /// The next one; nothing at the end and from the first malformed one on. Types of 0x81 and above
  /// that mean nothing to us come as they are; an unknown type below 0x80 is malformed, for its
  /// length is not known.
  std::optional<Extension> next();
  /// False once something malformed was met.
  [[nodiscard]] bool ok() const { return rest_.ok(); }

 private:
  ByteReader rest_;
};

/// Bytes of a kCompanion with its type and length.
inline constexpr std::size_t kCompanionBytes = 2 + kDigestBytes;

/// Whether a command may have these.
bool are_extensions(BytesView bytes);

/// The digest that the last kCompanion of well-formed extensions names.
std::optional<Digest> companion_in(BytesView bytes);

/// A kCompanion as it stands behind a command.
std::array<std::uint8_t, kCompanionBytes> companion_extension(const Digest& companion);

}  // namespace shingled::storage::protocol
