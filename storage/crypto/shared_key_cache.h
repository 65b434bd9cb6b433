#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>

#include "config/base/clock.h"
#include "storage/crypto/keypair.h"

namespace shingled::storage::crypto {

/// The shared keys of recent clients, at most `capacity`; with 0 no key is kept. A key agreement
/// costs a hundred times as much as a packet.
///
/// A stranger can make any number of keys, so a new key is on probation first. A quarter of the
/// places is for these keys, and the least recently used one is dropped first. A key that is used
/// again is admitted to the other places if one of them is free or was not used for kIdle; a key in
/// use there is never dropped. A source can have at most an eighth of these places, so that it
/// cannot fill all of them; its further keys stay on probation.
///
/// Threads: one thread. Each worker of a server has its own cache, so no worker waits.
/// Cost: a hit neither locks nor allocates, except a hit that admits a key.
class SharedKeyCache {
 public:
  static constexpr Duration kIdle = std::chrono::minutes(1);

  /// `secret`: the places in the table depend on it. Without a secret a stranger could choose keys
  /// that share a place.
  explicit SharedKeyCache(std::size_t capacity, std::uint64_t secret = 0);

  /// The shared key of this server key and this client, or null if it is not in the cache. The
  /// pointer is valid until the next call of a function of the cache.
  const SharedKey* find(const KeyId& server, const PublicKey& client, TimePoint now);
  /// Adds a key. Call it only after a packet was opened with the key, so that noise cannot replace
  /// the keys of real clients. `source`: the sender; 0 = a sender without a limit.
  void keep(const KeyId& server, const PublicKey& client, const SharedKey& key,
            std::uint64_t source, TimePoint now);
  [[nodiscard]] std::size_t size() const { return fresh_.size() + admitted_.size(); }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  struct Name {
    KeyId server{};
    PublicKey client{};
    friend bool operator==(const Name&, const Name&) = default;
  };
  struct NameHash {
    std::size_t operator()(const Name& name) const;
    std::uint64_t secret = 0;
  };
  struct Entry {
    Name name;
    SharedKey key;
    std::uint64_t source = 0;
    TimePoint used{};
    bool admitted = false;
  };
  using Entries = std::list<Entry>;  // newest use first

  /// Returns whether the entry may be admitted. If so, there is room for it.
  bool admits(const Entry& entry, TimePoint now);
  void drop_oldest(Entries& entries);

  std::size_t capacity_;
  std::size_t admitted_max_;
  std::size_t source_max_;  // of `admitted_`
  Entries fresh_;
  Entries admitted_;
  std::unordered_map<Name, Entries::iterator, NameHash> by_name_;
  std::unordered_map<std::uint64_t, std::size_t> held_;  // admitted keys of each source
};

}  // namespace shingled::storage::crypto
