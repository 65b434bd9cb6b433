#include "storage/engine/hashes.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace shingled::storage {

std::uint64_t hash_of(const Digest& digest) {
  return XXH3_64bits(digest.bytes.data(), digest.bytes.size());
}

}  // namespace shingled::storage
