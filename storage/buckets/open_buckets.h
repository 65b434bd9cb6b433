#pragma once

#include <memory>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "config/options/ratelimit_options.h"
#include "storage/buckets/bucket_store.h"

namespace shingled::storage::buckets {

/// The buckets that section `ratelimit` asks for: those of this process, kept in `file`, or those
/// in Redis. Clock, random source and logger must outlive them.
/// Errors: those of EmbeddedBuckets::open; none when no server is there: it may come.
Result<std::unique_ptr<BucketStore>> open_buckets(const MailLimitOptions& options, Clock& clock,
                                                  Random& random, Logger& logger);

}  // namespace shingled::storage::buckets
