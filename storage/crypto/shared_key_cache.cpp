#include "storage/crypto/shared_key_cache.h"

#include <cstring>

namespace shingled::storage {

// A stranger may choose public keys that collide here; the bound of the cache is the bound of the
// chain he gets, and walking it costs less than the key agreement he could force instead.
std::size_t SharedKeyCache::NameHash::operator()(const Name& name) const {
  std::size_t word = 0;
  std::memcpy(&word, name.client.data() + 8, sizeof word);
  return word;
}

const SharedKey* SharedKeyCache::find(const KeyId& server, const PublicKey& client) {
  const auto found = by_name_.find(Name{server, client});
  if (found == by_name_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return &found->second->key;
}

void SharedKeyCache::keep(const KeyId& server, const PublicKey& client, const SharedKey& key) {
  if (capacity_ == 0 || find(server, client) != nullptr) return;
  if (entries_.size() >= capacity_) {
    by_name_.erase(entries_.back().name);
    entries_.pop_back();
  }
  entries_.push_front(Entry{{server, client}, key});
  by_name_.emplace(entries_.front().name, entries_.begin());
}

void SharedKeyCache::clear() {
  by_name_.clear();
  entries_.clear();
}

}  // namespace shingled::storage
