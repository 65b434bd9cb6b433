#include "milter/ratelimit/full_bucket.h"

#include <cstdio>

#include "config/words/units.h"

namespace shingled::milter::ratelimit {

namespace {

std::string number(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

std::string wait_text(Duration wait) {
  if (wait == Duration::max()) return "never";
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait);
  return seconds.count() <= 0 ? "0s" : config::format_duration(seconds);
}

std::string describe(const FullBucket& bucket) {
  return "bucket " + bucket.key + " holds " + number("%.1f", bucket.drops) + " of " +
         number("%g", bucket.burst) + ", again in " + wait_text(bucket.wait);
}

std::string header_text(const LimitMark& mark) {
  return mark.symbol + "; type=" + mark.bucket.type +
         " drops=" + number("%.1f", mark.bucket.drops) +
         " burst=" + number("%g", mark.bucket.burst) + " again=" + wait_text(mark.bucket.wait);
}

}  // namespace shingled::milter::ratelimit
