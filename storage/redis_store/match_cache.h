#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::storage::redis_store {

/// Answers of a moment ago, hits and misses alike.
///
/// How stale: an answer is used for `keep` after it was fetched, not longer; what this process
/// itself has changed is forgotten at once (`forget`), but likenesses of it are not. Bounded: about
/// `most` answers; when there are more, older ones go, half of them at a time.
/// Threads: any thread, on one of kShards locks.
/// Cost: some 300 bytes an answer.
class MatchCache {
 public:
  using Answer = std::optional<Match>;

  /// `keep` 0: nothing is kept.
  MatchCache(Duration keep, std::size_t most) : keep_(keep), half_(most / (2 * kShards)) {}

  [[nodiscard]] bool is_on() const { return keep_ > Duration::zero() && half_ > 0; }
  /// Nothing where the question is not known.
  [[nodiscard]] std::optional<Answer> find(const Question& question, TimePoint now) const;
  /// Take it before the question is asked, and give it to `put`.
  [[nodiscard]] std::uint64_t forgotten(const Digest& digest) const;
  /// Keeps the answer, unless something was forgotten since `forgotten`: then it may be older.
  void put(const Question& question, const Answer& answer, TimePoint now, std::uint64_t forgotten);
  void forget(const Digest& digest);

 private:
  static constexpr std::size_t kShards = 16;  ///< as many as the first 4 bits of a hash tell apart
  struct Entry {
    std::uint64_t shingles = 0;  ///< what was asked along with the digest, mixed
    TimePoint end;
    Answer answer;
  };
  using Entries = std::unordered_map<Digest, Entry, DigestHash>;
  struct Shard {
    Entries young;  ///< when it is full it becomes the old one, and what was old is forgotten
    Entries old;
    std::uint64_t forgotten = 0;  ///< how often
  };

  Guarded<Shard>& shard_of(const Digest& digest) const {
    return shards_[DigestHash()(digest) >> 60];
  }

  const Duration keep_;
  const std::size_t half_;
  mutable std::array<Guarded<Shard>, kShards> shards_;
};

}  // namespace shingled::storage::redis_store
