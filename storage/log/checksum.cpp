#include "storage/log/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace shingled::storage::log {

std::uint64_t checksum(BytesView bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace shingled::storage::log
