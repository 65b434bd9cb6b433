#pragma once

#include <memory>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "config/base/result.h"
#include "config/options/ratelimit_options.h"
#include "storage/buckets/bucket_store.h"

namespace shingled::storage {

/// Opens the buckets that section `ratelimit` asks for: in memory, kept in `file`, or in Redis.
/// Clock, random source and logger must outlive them.
/// Errors: those of EmbeddedBuckets::open. A Redis server that is away is not an error; it may come
/// later.
Result<std::unique_ptr<buckets::BucketStore>> open_buckets(const MailLimitOptions& options,
                                                           Clock& clock, Random& random,
                                                           Logger& logger);

}  // namespace shingled::storage
