#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "storage/model/fuzzy_store.h"
#include "storage/redis/route/redis_route.h"

namespace shingled::storage::redis {

/// Recent answers, hits as well as misses.
///
/// An answer is used for `keep` after it was fetched, not longer. A digest that this process has
/// changed is forgotten at once (`forget`), but answers for similar digests are not.
/// Bound: about `most` answers; if there are more, the older half is dropped.
/// Threads: any thread, on one of kShards locks.
/// Cost: about 300 bytes per answer.
class MatchCache {
 public:
  using Answer = std::optional<Match>;

  /// With `keep` 0 no answer is kept.
  MatchCache(Duration keep, std::size_t most) : keep_(keep), half_(most / (2 * kShards)) {}

  [[nodiscard]] bool is_on() const { return keep_ > Duration::zero() && half_ > 0; }
  /// Returns the answer, which may be a miss (an empty Answer); nullopt if it is not in the cache.
  [[nodiscard]] std::optional<Answer> find(const Question& question, TimePoint now) const;
  /// A number to be read before the question is asked, and passed to `put` with the answer.
  [[nodiscard]] std::uint64_t forgotten(const Digest& digest) const;
  /// Keeps the answer, unless a digest was forgotten since `forgotten` was read: then the answer
  /// may be older than that change.
  void put(const Question& question, const Answer& answer, TimePoint now, std::uint64_t forgotten);
  void forget(const Digest& digest);

 private:
  static constexpr std::size_t kShards = 16;  ///< one for each value of the first 4 bits of a hash
  struct Entry {
    std::uint64_t shingles = 0;  ///< the hash of the shingles in the question
    TimePoint end;
    Answer answer;
  };
  using Entries = std::unordered_map<Digest, Entry, DigestHash>;
  struct Shard {
    Entries young;  ///< when it is full, it replaces `old`
    Entries old;
    std::uint64_t forgotten = 0;  ///< number of calls of `forget`
  };

  Guarded<Shard>& shard_of(const Digest& digest) const {
    return shards_[DigestHash()(digest) >> 60];
  }

  const Duration keep_;
  const std::size_t half_;
  mutable std::array<Guarded<Shard>, kShards> shards_;
};

/// The matches for one question.
struct Found {
  std::optional<Match> exact;
  std::optional<Match> near;  ///< the owner of most slots, if it is another digest with a record
};

/// When the slots of a question are read.
enum class AskSlots : std::uint8_t {
  kAtOnce,      ///< together with its record: a miss costs one round trip
  kIfNotExact,  ///< only if there is no record: an exact hit reads no slots and has no `near`
};

/// Looks up all questions together: records and slots in one round trip or two, then the records of
/// the digests that own enough slots in one more. A digest without a record is never a match.
/// Errors: those of the route.
/// Threads: stateless.
Result<std::vector<Found>> look_up(RedisRoute& route, std::string_view prefix,
                                   std::span<const Question> questions, AskSlots ask_slots,
                                   TimePoint deadline);

}  // namespace shingled::storage::redis
