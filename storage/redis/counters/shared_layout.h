#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/counters/addition.h"
#include "storage/counters/counter.h"
#include "storage/redis/route/redis_route.h"

namespace shingled::storage::redis {

// The keys, fields and values of the shared counters (storage/COUNTERS.md section 7). Pure
// functions.

/// Counters are in buckets: hashes of Redis, one for each slot of a cluster. A pair and its unique
/// are in the same one.
using Bucket = std::uint16_t;
/// Of a shingle, the lowest: the number of its bucket.
inline constexpr int kBucketBits = 14;

Bucket bucket_of(const counters::CounterKey& key);
/// Whether counters of this type grow by pairs.
inline bool comes_with_pairs(PieceType type) { return is_pair(type) || is_unique(type); }
/// The key of a bucket: PREFIX:{TAG}:bucket.
std::string bucket_name(std::string_view prefix, Bucket bucket);
/// nullopt if it is not the key of a bucket, in exactly the form that bucket_name gives it.
std::optional<Bucket> parse_bucket_name(std::string_view prefix, std::string_view name);
/// Of the key that says what the daemon `writer` has sent to the bucket; without a cluster bucket 0
/// stands for all.
std::string writer_name(std::string_view prefix, Bucket bucket, std::uint64_t writer);
/// Of the key that has the mark of the site's key: PREFIX:key.
std::string mark_name(std::string_view prefix);
/// Whether both counters of a pair end with the same bits, as those of `pair_of` do.
bool is_together(const counters::Pair& pair);

/// Appends the field of a counter in its bucket: 9 bytes.
inline constexpr std::size_t kFieldBytes = 9;
void append_field(const counters::CounterKey& key, std::string& out);
/// nullopt if it is not the field of a counter of this bucket.
std::optional<counters::CounterKey> parse_field(Bucket bucket, std::string_view field);

/// Appends a record: a period and its amounts; nothing if they are zero. Records of a value are
/// from new to old, each period once: slots, then days.
void append_record(const counters::Entry& entry, std::string& out);
/// The entries of a value, sorted. What is damaged is passed over with all that follows.
std::vector<counters::Entry> read_entries(std::string_view value);

/// Where an entry of `period` goes at `now`: as it is; a slot that is over, to its day; nullopt if
/// the day is over, too. `amounts` becomes what counts there.
std::optional<counters::Entry> kept_entry(PieceType type, const counters::Entry& entry,
                                          counters::Slot now);

// The calls of the scripts of the shared counters (storage/COUNTERS.md section 7). Pure.

/// To whom a call speaks: one slot of the cluster, which is one bucket, or all buckets of a single
/// server.
struct CallPlace {
  std::string_view prefix;
  std::uint16_t slot = 0;
  std::uint64_t writer = 0;  ///< the daemon
};

/// What is added to one counter.
struct CounterDelta {
  counters::CounterKey key;
  std::span<const counters::Entry> entries;  ///< sorted by period, each once
};

/// A pair of one call of `add`.
struct PairDelta {
  std::uint64_t number = 0;  ///< of the call; rises
  counters::Pair pair;
  counters::Slot slot = 0;
  counters::Amounts amounts;
};

/// Adds `deltas` unless this writer's call `number` or a later one was made in that slot. Those of
/// one bucket are together. `now`: the present slot; what is over is left out.
void append_add(CommandList& commands, const std::string& script, const CallPlace& place,
                std::uint64_t number, counters::Slot now, std::span<const CounterDelta> deltas);
/// Adds the pairs whose number is above those that were added before in that slot. They are sorted
/// by number.
void append_pairs(CommandList& commands, const std::string& script, const CallPlace& place,
                  counters::Slot now, std::span<const PairDelta* const> pairs);
/// Reads. The reply: the number of the writer's last `append_add` in that slot or an empty text;
/// then for each counter its value, nil if it has none, or a number if its bucket cannot be read.
void append_read(CommandList& commands, const std::string& script, const CallPlace& place,
                 std::span<const counters::CounterKey> keys);

}  // namespace shingled::storage::redis
