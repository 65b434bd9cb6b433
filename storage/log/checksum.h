#pragma once

#include <cstdint>

#include "config/base/byte_reader.h"

namespace shingled::storage::log {

/// The checksum of a block or a record: XXH3, 64 bits. Finds damage, not forgery.
std::uint64_t checksum(BytesView bytes);

}  // namespace shingled::storage::log
