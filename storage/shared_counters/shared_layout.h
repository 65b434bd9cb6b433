#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/counters/addition.h"
#include "storage/counters/counter.h"
#include "storage/counters/series.h"
#include "storage/redis/redis_reply.h"

namespace shingled::storage::shared_counters {

// The keys and fields of the shared counters (storage/COUNTERS.md section 7). Pure functions.

/// The key of a counter: PREFIX:{TAG}:SPACE:TYPE:SHINGLE. A pair and its unique have the same TAG,
/// so they are in one slot of a cluster.
std::string counter_name(std::string_view prefix, const counters::CounterKey& key);
/// nullopt if it is not the key of a counter, in exactly the form that counter_name gives it.
std::optional<counters::CounterKey> parse_counter_name(std::string_view prefix,
                                                       std::string_view name);
/// Whether both counters of a pair have the same tag, as those of `pair_of` have.
bool is_together(const counters::Pair& pair);
/// The slot in a cluster of all counters with this tag.
std::uint16_t cluster_slot(const counters::CounterKey& key);
/// Of the key that says what the daemon `writer` has sent to the counters of a slot.
std::string writer_name(std::string_view prefix, std::uint16_t cluster_slot, std::uint64_t writer);

/// A field of the hash of a counter: "t2831519:0" for a slot, "d19663:0" for a day.
std::string field_name(const counters::Period& period, counters::Measure measure);
/// The field that says that a pair had mass on a day: "n19663".
std::string seen_name(counters::Day day);

/// The entries in the reply to HGETALL, sorted. Fields and numbers of others are passed over.
/// nullopt if it is not such a reply.
std::optional<std::vector<counters::Entry>> read_entries(const redis::RedisReply& reply);

/// Where an entry of `period` goes at `now`: as it is; a slot that is over, to its day; nullopt if
/// the day is over, too. `amounts` becomes what counts there.
std::optional<counters::Entry> kept_entry(PieceType type, const counters::Entry& entry,
                                          counters::Slot now);

}  // namespace shingled::storage::shared_counters
