#pragma once

#include <functional>
#include <memory>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/options/redis_options.h"
#include "storage/counters/counter_store.h"

namespace shingled::storage::redis {

/// Reads all counters of a database, step by step.
///
/// Redis may name a key twice in a scan, so the cursor remembers which buckets it has read.
/// `options` and `clock` must outlive it.
/// Errors: kUnavailable (no server of a cluster answers).
Result<std::unique_ptr<counters::CounterCursor>> open_scan(const RedisOptions& options,
                                                           Clock& clock,
                                                           std::function<counters::Slot()> present);

}  // namespace shingled::storage::redis
