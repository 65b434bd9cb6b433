#include "storage/engine/hashes.h"

#include <sodium.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace shingled::storage {

IndexHash::IndexHash() {
  ::randombytes_buf(&mask_, sizeof mask_);
  ::randombytes_buf(factors_.data(), sizeof factors_);
  for (std::uint64_t& factor : factors_) factor |= 1;
  ::randombytes_buf(secret_.data(), secret_.size());
}

std::uint64_t IndexHash::of(const Digest& digest) const {
  return XXH3_64bits_withSecret(digest.bytes.data(), digest.bytes.size(), secret_.data(),
                                secret_.size());
}

}  // namespace shingled::storage
