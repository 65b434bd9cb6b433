#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "config/load_settings.h"
#include "milter/ratelimit/mail_limiter.h"
#include "storage/buckets/embedded_buckets.h"
#include "tests/support/manual_clock.h"
#include "tests/support/seeded_random.h"

namespace shingled::milter::ratelimit {

/// A limiter with real buckets and a manual clock.
class LimiterFixture : public ::testing::Test {
 protected:
  /// `yaml`: the content of section ratelimit.
  std::shared_ptr<const MailLimiter> limiter(const std::string& yaml) {
    const auto loaded = config::load_settings("ratelimit: {" + yaml + "}", "f", {});
    for (const auto& problem : loaded.problems) ADD_FAILURE() << problem.to_string();
    return std::make_shared<const MailLimiter>(
        loaded.settings ? loaded.settings->ratelimit : MailLimitOptions{}, store_, clock_,
        counters_);
  }
  /// The drops in a bucket.
  double drops(const std::string& key) {
    const auto state = store_->show(key, clock_.now());
    return state && *state ? (*state)->drops() : 0;
  }

  testing::ManualClock clock_;
  testing::SeededRandom random_{1};
  LimitCounters counters_;
  std::shared_ptr<storage::buckets::BucketStore> store_ =
      std::make_shared<storage::buckets::EmbeddedBuckets>(1000, clock_, random_);
};

}  // namespace shingled::milter::ratelimit
