#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/counters/addition.h"
#include "storage/counters/series.h"
#include "storage/redis/route/command_list.h"

namespace shingled::storage::redis {

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
