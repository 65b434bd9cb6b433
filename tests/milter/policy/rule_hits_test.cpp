#include "milter/policy/rule_hits.h"

#include <gtest/gtest.h>

#include "tests/milter/policy/policy_world.h"

namespace shingled::milter::policy {
namespace {

using testing::compiled;
using testing::rule;

/// Puts rules in force.
std::vector<std::shared_ptr<EventCount>> used(RuleHits& hits, const CompiledRules& rules) {
  auto counts = hits.counts_for(rules);
  hits.use(rules, counts);
  return counts;
}

TEST(RuleHits, GoOnAfterAReloadAndForgetRulesThatAreGone) {
  RuleHits hits;
  const auto first = used(hits, compiled({rule("A", "local"), rule("B", "html")}));
  ASSERT_EQ(first.size(), 2U);
  first[0]->add(3);
  Rule shadow = rule("A", "local");
  shadow.shadow = true;
  const auto same = used(hits, compiled({rule("A", "bounce"), rule("C", "html")}));
  EXPECT_EQ(same[0]->read(), 3U);
  EXPECT_EQ(same[1]->read(), 0U);
  const auto in_shadow = used(hits, compiled({shadow}));
  EXPECT_EQ(in_shadow[0]->read(), 0U);
  EXPECT_EQ(used(hits, compiled({rule("A", "local")}))[0]->read(), 0U);
}

TEST(RuleHits, RulesThatDoNotComeIntoForceChangeNothing) {
  RuleHits hits;
  const auto rules = compiled({rule("A", "local")});
  const auto counts = used(hits, rules);
  counts[0]->add(3);
  static_cast<void>(hits.counts_for(compiled({rule("B", "local")})));
  counts[0]->add(1);
  EXPECT_EQ(hits.counts_for(rules)[0]->read(), 4U);
}

}  // namespace
}  // namespace shingled::milter::policy
