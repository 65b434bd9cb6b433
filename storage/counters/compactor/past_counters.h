#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "storage/counters/compactor/compactor.h"
#include "storage/counters/counter_store.h"
#include "storage/counters/live/live_counters.h"

namespace shingled::storage::counters {

/// Changes what was counted before: adds past additions and whole counters as a sealed file, and
/// forgets counters.
///
/// Threads: any thread. One call at a time; the others wait, and so does the sealing of tables.
class PastCounters {
 public:
  /// The parts and `compactor` must outlive it. `wanted`: called when a file was added; from any
  /// thread, must not block.
  PastCounters(const CounterParts& parts, Compactor& compactor, std::function<void()> wanted)
      : use_(parts), compactor_(compactor), wanted_(std::move(wanted)) {}

  // As those of CounterStore.
  Status import(std::span<const CounterSeries> counters);
  Status learn(std::span<const PastAddition> additions);
  Status forget(std::span<const CounterKey> keys);

 private:
  using TakeRow = std::function<Status(const CounterKey&, const std::vector<Entry>&)>;
  using Rows = std::function<Status(const TakeRow&)>;
  Status insert(std::vector<PairClaims::Claim> claims,
                const std::function<Rows(const View&)>& make_rows);
  Status insert_file(const Rows& rows);
  Status forget_now(std::span<const CounterKey> keys);
  /// While nobody adds and no file gets a number.
  Status forget_alone(std::span<const CounterKey> keys,
                      const LiveCounters::BeginTable& begin_table);

  const CounterParts use_;
  Compactor& compactor_;
  const std::function<void()> wanted_;
};

}  // namespace shingled::storage::counters
