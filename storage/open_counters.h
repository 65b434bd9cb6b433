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
#include "storage/people/people_store.h"

namespace shingled::storage {

/// Opens the counters: those of this machine, or those shared in Redis if `counters.servers` names
/// servers. `clock`, `random` and `logger` must outlive the store. `mark`: of the site's key
/// (counters/key_mark.h); what was counted with another one is not opened.
/// Errors: those of EmbeddedCounterStore::open and SharedCounters::open, with the option.
Result<std::unique_ptr<counters::CounterStore>> open_counters(
    const CounterOptions& options, Clock& clock, Random& random, Logger& logger,
    std::optional<std::uint64_t> mark = {});

/// Opens what people said: the file of this machine, or what daemons share in Redis beside the
/// counters. `site`: a number that follows from the site's key.
/// Errors: those of EmbeddedPeople::open.
Result<std::unique_ptr<people::PeopleStore>> open_people(const CounterOptions& options,
                                                         std::uint64_t site, Clock& clock,
                                                         Logger& logger);

}  // namespace shingled::storage
