#include "storage/engine/index_hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace shingled::storage::engine {

IndexHash::IndexHash(Random& random) {
  random.fill({reinterpret_cast<std::uint8_t*>(&mask_), sizeof mask_});
  random.fill({reinterpret_cast<std::uint8_t*>(factors_.data()), sizeof factors_});
  for (std::uint64_t& factor : factors_) factor |= 1;
  random.fill(secret_);
}

std::uint64_t IndexHash::of(const Digest& digest) const {
  return XXH3_64bits_withSecret(digest.bytes.data(), digest.bytes.size(), secret_.data(),
                                secret_.size());
}

}  // namespace shingled::storage::engine
