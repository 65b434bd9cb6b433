#include "milter/rules/shown_hits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/base/clock.h"
#include "tests/milter/rules/facts_builder.h"

namespace shingled::milter::rules {
namespace {

using ::testing::ElementsAre;

std::vector<Hit> hits(const std::vector<double>& scores) {
  std::vector<Hit> out(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    out[i].score = scores[i];
    out[i].dropped = scores[i] == 0;
  }
  return out;
}

TEST(ShownHits, AreAllInTheirOrderOrTheStrongest) {
  EXPECT_THAT(shown_hits(hits({1, 0, 3, -2}), 3).hits, ElementsAre(0, 2, 3));
  EXPECT_EQ(shown_hits(hits({1, 0, 3, -2}), 3).more, 0U);
  EXPECT_THAT(shown_hits(hits({1, 0, 3, -2, 3}), 3).hits, ElementsAre(2, 4, 3));
  EXPECT_EQ(shown_hits(hits({1, 0, 3, -2, 3}), 3).more, 1U);
}

TEST(Score, ManyHitsCostNoMoreEachThanFew) {
  Facts facts;
  facts.lookups.assign(20'000, hit_lookup(mime::PartKind::kText, 1.0F, {{11, 20}}));
  const RuleOptions rule;
  SystemClock clock;
  const TimePoint start = clock.now();
  const auto scored = score_hits(facts, std::span(&rule, 1));
  const auto symbols = sum_symbols(scored);
  // 20 ms; each hit that looks at all others takes 20 s.
  EXPECT_LT(clock.now() - start, std::chrono::seconds(3));
  ASSERT_EQ(symbols.size(), 1U);
  EXPECT_EQ(symbols[0].hits, 20'000U);
}

}  // namespace
}  // namespace shingled::milter::rules
