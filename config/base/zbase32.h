#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/base/byte_reader.h"

namespace shingled {

/// rspamd's z-base-32, the text form of keys: 5 bits at a time from the low end of the bytes read
/// as one little-endian integer (PROTOCOL.md 3.4). Not the published z-base-32. 32 bytes are
/// 52 characters, 64 bytes 103.
std::string to_zbase32(BytesView bytes);

/// The bytes of a text. nullopt for a character outside the alphabet (which is lower case only),
/// for a length that does not match whole bytes, or for surplus bits that are not zero.
std::optional<Bytes> from_zbase32(std::string_view text);

}  // namespace shingled
