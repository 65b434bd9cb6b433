#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "config/base/byte_reader.h"
#include "config/base/socket_address.h"
#include "storage/protocol/sender_facts.h"

namespace shingled::storage {

// What may follow a command of version 4 and 5 (fuzzy-protocol.md 1.3). It changes no answer.

/// The extension types with a meaning of their own.
enum class ExtensionType : std::uint8_t {
  kSourceV4 = 0x34,     ///< 4 bytes, network order
  kSourceV6 = 0x36,     ///< 16 bytes, network order
  kDomain = 0x64,       ///< domain of the MIME From, 0 to 255 bytes
  kSenderFacts = 0x80,  ///< 4 bytes, big-endian
};

struct Extension {
  std::uint8_t type = 0;
  BytesView payload;
};

/// Walks over the extensions of a command without a copy.
/// Threads: one thread. Cost: none beyond the bytes.
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

/// Whether a command may have these.
bool are_extensions(BytesView bytes);

inline constexpr std::size_t kSentDomainBytesMax = 64;  ///< of a domain clients send the last ones

/// What the extensions of one command say. Of a repeated one the last counts.
struct Extensions {
  BytesView domain;  ///< of the MIME From; lent by the packet; any bytes
  std::optional<IpAddress> source;
  std::optional<SenderFacts> facts;
};

/// Nothing if one is malformed. What we do not know is stepped over where that is possible.
std::optional<Extensions> decode_extensions(BytesView bytes);

/// Writes what there is and returns its length; 0 if it does not fit, or there is nothing.
std::size_t encode_extensions(const Extensions& extensions, std::span<std::uint8_t> out);

}  // namespace shingled::storage
