#include "storage/buckets/bucket_arena.h"

namespace shingled::storage::buckets {

std::uint32_t BucketArena::allocate(std::size_t key_bytes) {
  const std::size_t words = words_for(key_bytes);
  words_used_ += words;
  std::uint32_t& first = free_[words];
  if (first != 0) {
    const std::uint32_t place = first;
    first = static_cast<std::uint32_t>(*at(place));
    words_free_ -= words;
    return place;
  }
  const std::size_t left = chunks_.size() * kChunkWords - end_;
  if (chunks_.empty() || left < words) {
    if (!chunks_.empty()) {
      end_ += static_cast<std::uint32_t>(left);
      words_free_ += left;
    }
    chunks_.push_back(std::make_unique<Word[]>(kChunkWords));  // NOLINT(*-c-arrays)
  }
  const std::uint32_t place = end_;
  end_ += static_cast<std::uint32_t>(words);
  return place;
}

void BucketArena::release(std::uint32_t place, std::size_t key_bytes) {
  const std::size_t words = words_for(key_bytes);
  words_used_ -= words;
  words_free_ += words;
  *at(place) = free_[words];
  free_[words] = place;
}

}  // namespace shingled::storage::buckets
