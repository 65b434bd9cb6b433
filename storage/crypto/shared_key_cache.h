#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>

#include "config/base/clock.h"
#include "storage/crypto/sealed_request.h"

namespace shingled::storage::crypto {

/// The shared keys of the clients seen last, for a key agreement costs a hundred times what a
/// packet does. At most `capacity` of them; 0 keeps none.
///
/// A stranger can make as many keys as he likes, so a new one is on probation: a quarter of the
/// places is for such keys, and of them the least recently used goes first. A key that comes again
/// is admitted to the other places, if one is free or was not used for kIdle: what is in use there
/// nothing pushes out. A source holds an eighth of those places at most, so that nobody fills them
/// by himself; what it has beyond that stays on probation.
///
/// Threads: one thread; each worker of a server has its own, so that nobody waits for anybody.
/// Cost: a hit neither allocates nor locks, except for the one that admits a key.
class SharedKeyCache {
 public:
  static constexpr Duration kIdle = std::chrono::minutes(1);

  /// `secret`: on which the places of the table depend, or a stranger could choose keys that share
  /// one.
  explicit SharedKeyCache(std::size_t capacity, std::uint64_t secret = 0);

  /// The key shared by this server key and this client; null if it is not kept. Valid until the
  /// next call of anything else.
  const SharedKey* find(const KeyId& server, const PublicKey& client, TimePoint now);
  /// Call it for a packet that opened, so that noise cannot push out the keys of real clients.
  /// `source`: who sent it; 0 = one whose places are not counted.
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

  /// Makes room for it among those that are admitted, if that may be.
  bool admits(const Entry& entry, TimePoint now);
  void drop_oldest(Entries& entries);

  std::size_t capacity_;
  std::size_t admitted_max_;
  std::size_t source_max_;  // of the admitted ones
  Entries fresh_;
  Entries admitted_;
  std::unordered_map<Name, Entries::iterator, NameHash> by_name_;
  std::unordered_map<std::uint64_t, std::size_t> held_;  // admitted ones by source
};

}  // namespace shingled::storage::crypto
