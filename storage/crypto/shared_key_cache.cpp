#include "storage/crypto/shared_key_cache.h"

#include <algorithm>
#include <cstring>

namespace shingled::storage::crypto {

namespace {
constexpr std::size_t kFreshShare = 4;   // of the capacity, for keys on probation
constexpr std::size_t kSourceShare = 8;  // of the other places, for one source
}  // namespace

SharedKeyCache::SharedKeyCache(std::size_t capacity, std::uint64_t secret)
    : capacity_(capacity),
      admitted_max_(capacity == 0 ? 0 : capacity - (capacity + kFreshShare - 1) / kFreshShare),
      source_max_(std::max<std::size_t>(admitted_max_ / kSourceShare, 1)),
      by_name_(0, NameHash{secret}) {}

/// Mixes two words of the key with the secret and multiplies them. Each bit of the result depends
/// on the secret, so a stranger cannot know which keys share a place.
std::size_t SharedKeyCache::NameHash::operator()(const Name& name) const {
  __extension__ using Wide = unsigned __int128;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::memcpy(&a, name.client.data(), sizeof a);
  std::memcpy(&b, name.client.data() + 8, sizeof b);
  const Wide product = static_cast<Wide>(a ^ secret) * (b ^ (secret * 0x9e3779b97f4a7c15U));
  return static_cast<std::size_t>(product) ^ static_cast<std::size_t>(product >> 64);
}

const SharedKey* SharedKeyCache::find(const KeyId& server, const PublicKey& client, TimePoint now) {
  const auto found = by_name_.find(Name{server, client});
  if (found == by_name_.end()) return nullptr;
  const auto entry = found->second;
  entry->used = now;
  if (entry->admitted) {
    admitted_.splice(admitted_.begin(), admitted_, entry);
  } else if (admits(*entry, now)) {
    entry->admitted = true;
    if (entry->source != 0) ++held_[entry->source];
    admitted_.splice(admitted_.begin(), fresh_, entry);
  } else {
    fresh_.splice(fresh_.begin(), fresh_, entry);
  }
  return &entry->key;
}

void SharedKeyCache::keep(const KeyId& server, const PublicKey& client, const SharedKey& key,
                          std::uint64_t source, TimePoint now) {
  if (capacity_ == 0 || by_name_.contains(Name{server, client})) return;
  if (fresh_.size() >= capacity_ - admitted_max_) drop_oldest(fresh_);
  fresh_.push_front(Entry{{server, client}, key, source, now, false});
  by_name_.emplace(fresh_.front().name, fresh_.begin());
}

bool SharedKeyCache::admits(const Entry& entry, TimePoint now) {
  if (admitted_max_ == 0) return false;
  if (entry.source != 0) {
    const auto held = held_.find(entry.source);
    if (held != held_.end() && held->second >= source_max_) return false;
  }
  if (admitted_.size() < admitted_max_) return true;
  if (now - admitted_.back().used < kIdle) return false;
  drop_oldest(admitted_);
  return true;
}

void SharedKeyCache::drop_oldest(Entries& entries) {
  const Entry& oldest = entries.back();
  if (oldest.admitted && oldest.source != 0) {
    const auto held = held_.find(oldest.source);
    if (--held->second == 0) held_.erase(held);
  }
  by_name_.erase(oldest.name);
  entries.pop_back();
}

}  // namespace shingled::storage::crypto
