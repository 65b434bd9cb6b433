#include "storage/open_buckets.h"

#include <utility>

#include "storage/buckets/embedded_buckets.h"
#include "storage/redis/buckets/redis_buckets.h"

namespace shingled::storage {

Result<std::unique_ptr<buckets::BucketStore>> open_buckets(const MailLimitOptions& options,
                                                           Clock& clock, Random& random,
                                                           Logger& logger) {
  using buckets::EmbeddedBuckets;
  if (!options.shared() && !options.file.empty()) {
    auto kept = EmbeddedBuckets::open(options.buckets_max, options.file, clock, random, logger);
    if (!kept) return kept.error().in("ratelimit.file");
    return std::unique_ptr<buckets::BucketStore>(*std::move(kept));
  }
  auto local = std::make_unique<EmbeddedBuckets>(options.buckets_max, clock, random);
  if (!options.shared()) return std::unique_ptr<buckets::BucketStore>(std::move(local));
  return std::unique_ptr<buckets::BucketStore>(
      std::make_unique<redis::RedisBuckets>(options.redis, std::move(local), clock, logger));
}

}  // namespace shingled::storage
