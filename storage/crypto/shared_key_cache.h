#pragma once

#include <cstddef>
#include <list>
#include <unordered_map>

#include "storage/crypto/sealed_request.h"

namespace shingled::storage {

/// The shared keys of the clients seen last, for a key agreement costs a hundred times what a
/// packet does. At most `capacity` of them, the least recently used one goes first; 0 keeps none.
///
/// Threads: one thread; each worker of a server has its own, so that nobody waits for anybody.
/// Cost: a hit neither allocates nor locks.
class SharedKeyCache {
 public:
  explicit SharedKeyCache(std::size_t capacity) : capacity_(capacity) {}

  /// The key shared by this server key and this client; null if it is not kept. Valid until the
  /// next call of `keep` or `clear`.
  const SharedKey* find(const KeyId& server, const PublicKey& client);
  /// Call it for a packet that opened, so that noise cannot push out the keys of real clients.
  void keep(const KeyId& server, const PublicKey& client, const SharedKey& key);
  void clear();
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  struct Name {
    KeyId server{};
    PublicKey client{};
    friend bool operator==(const Name&, const Name&) = default;
  };
  struct NameHash {
    std::size_t operator()(const Name& name) const;
  };
  struct Entry {
    Name name;
    SharedKey key;
  };

  std::size_t capacity_;
  std::list<Entry> entries_;  // newest use first
  std::unordered_map<Name, std::list<Entry>::iterator, NameHash> by_name_;
};

}  // namespace shingled::storage
