#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "config/base/byte_reader.h"

namespace shingled::storage {

// What may follow a command of version 4 and 5 (fuzzy-protocol.md 1.3). It changes no answer: we
// look whether it is well-formed, keep nothing of it and send none.

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

}  // namespace shingled::storage
