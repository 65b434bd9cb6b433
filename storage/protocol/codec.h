#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "config/base/byte_reader.h"
#include "mime/fingerprint/fingerprint.h"
#include "storage/model/fuzzy_store.h"

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

// Frames on a TCP connection (PROTOCOL.md 4): a u16 length, then that number of bytes. The bytes
// are the same as those of a datagram, sealed or plain. Both directions use frames.

inline constexpr std::size_t kFrameHeadBytes = 2;
inline constexpr std::size_t kFrameBytesMax = 8192;  ///< without its head; a frame is never empty

/// Appends a frame to `out`. Returns false and appends nothing if `payload` is empty or longer than
/// kFrameBytesMax.
/// Threads: stateless.
[[nodiscard]] bool append_frame(BytesView payload, Bytes& out);

/// Cuts a stream of bytes into frames. The frames do not depend on how the network cut the stream.
///
///   reader.feed(what_was_read);
///   while (const auto frame = reader.next()) use(*frame);
///   if (reader.broken()) close();
///
/// Threads: one thread.
/// Cost: a frame that comes in one read is not copied. Between two frames the reader holds no
/// memory; of a frame in pieces it holds only the bytes that have come.
class FrameReader {
 public:
  /// `frame_bytes_max`: a longer frame breaks the stream, as an empty one does.
  explicit FrameReader(std::size_t frame_bytes_max = kFrameBytesMax)
      : frame_bytes_max_(frame_bytes_max) {}

  /// Takes the next bytes of the stream. They must stay valid until `next` returns nullopt; only
  /// then may `feed` be called again.
  void feed(BytesView bytes) { fresh_ = bytes; }
  /// The next whole frame without its head, valid until the next call. Returns nullopt if more
  /// bytes are needed or the stream is broken.
  std::optional<BytesView> next();
  /// True after a frame with a length that is not allowed. It is not known where the next frame
  /// begins, so `next` returns nullopt from then on.
  [[nodiscard]] bool broken() const { return broken_; }
  /// Whether a part of a frame was read.
  [[nodiscard]] bool in_frame() const { return !kept_.empty() && !kept_was_given_; }

 private:
  std::optional<std::size_t> length_of(BytesView head);
  std::optional<BytesView> next_of_pieces();
  void keep(std::size_t bytes);

  std::size_t frame_bytes_max_;
  BytesView fresh_;
  Bytes kept_;  // the first bytes of a frame, with its head
  bool kept_was_given_ = false;
  bool broken_ = false;
};

}  // namespace shingled::storage::protocol
