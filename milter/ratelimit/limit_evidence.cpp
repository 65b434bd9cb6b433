#include "milter/ratelimit/limit_evidence.h"

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

namespace {

rules::Explanation explanation_of(const LimitMark& mark) {
  const FullBucket& bucket = mark.bucket;
  const std::string again = wait_text(bucket.wait);
  return {.log = describe(bucket),
          .header = fmt::format("{}; type={} drops={:.1f} burst={:g} again={}", mark.symbol,
                                bucket.type, bucket.drops, bucket.burst, again),
          .arithmetic = fmt::format("2 tanh({:.1f} / (2 x {:g})) = {:.2f}", bucket.drops,
                                    bucket.burst, mark.value),
          .details = {{"symbol", mark.symbol},
                      {"score", mark.value},
                      {"type", bucket.type},
                      {"drops", bucket.drops},
                      {"burst", bucket.burst},
                      {"again", again}}};
}

}  // namespace

rules::Findings limit_findings(const std::optional<LimitMark>& mark) {
  rules::Findings findings;
  findings.source = &kLimitSource;
  if (!mark) return findings;
  rules::Evidence& item = findings.evidence.emplace_back();
  item.symbol = mark->symbol;
  item.score = mark->value;
  item.explanation = [mark = *mark] { return explanation_of(mark); };
  return findings;
}

}  // namespace shingled::milter::ratelimit
