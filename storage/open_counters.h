#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "config/base/result.h"
#include "config/options/counter_options.h"
#include "storage/counters/counter_store.h"

namespace shingled::storage {

/// Opens the counters: those of this machine, or those shared in Redis if `counters.servers` names
/// servers. `clock`, `random` and `logger` must outlive the store. `mark`: of the site's key
/// (counters/key_mark.h); what was counted with another one is not opened.
/// Errors: those of EmbeddedCounterStore::open and SharedCounters::open, with the option.
Result<std::unique_ptr<counters::CounterStore>> open_counters(
    const CounterOptions& options, Clock& clock, Random& random, Logger& logger,
    std::optional<std::uint64_t> mark = {});

}  // namespace shingled::storage
