#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/base/byte_reader.h"

namespace shingled::storage {

/// rspamd's z-base-32: 5 bits at a time from the low end of the bytes read as one little-endian
/// integer (fuzzy-protocol.md 3.4). Not the published z-base-32. 32 bytes are 52 characters.
std::string to_zbase32(BytesView bytes);
/// Nothing for a foreign character or surplus bits. Upper case is foreign.
std::optional<Bytes> from_zbase32(std::string_view text);

}  // namespace shingled::storage
