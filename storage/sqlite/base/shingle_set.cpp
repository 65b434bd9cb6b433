#include "storage/sqlite/base/shingle_set.h"

namespace shingled::storage::sqlite {

ShingleSet encode_shingles(const Shingles& shingles) {
  ShingleSet bytes{};
  ByteWriter writer(bytes);
  for (const std::uint64_t shingle : shingles) writer.u64(shingle);
  return bytes;
}

Shingles decode_shingles(BytesView bytes) {
  Shingles shingles{};
  ByteReader reader(bytes);
  for (std::uint64_t& shingle : shingles) shingle = reader.u64();
  return shingles;
}

}  // namespace shingled::storage::sqlite
