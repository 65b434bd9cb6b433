#include "milter/ratelimit/full_bucket.h"

#include <fmt/format.h>

#include "config/words/units.h"

namespace shingled::milter::ratelimit {

std::string wait_text(Duration wait) {
  if (wait == Duration::max()) return "never";
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait);
  return seconds.count() <= 0 ? "0s" : config::format_duration(seconds);
}

std::string describe(const FullBucket& bucket) {
  return fmt::format("bucket {} holds {:.1f} of {:g}, again in {}", bucket.key, bucket.drops,
                     bucket.burst, wait_text(bucket.wait));
}

}  // namespace shingled::milter::ratelimit
