#include "milter/policy/rule_hits.h"

#include <gtest/gtest.h>

#include "tests/milter/policy/policy_world.h"

namespace shingled::milter::policy {
namespace {

using testing::compiled;
using testing::rule;

TEST(RuleHits, GoOnAfterAReloadAndForgetRulesThatAreGone) {
  RuleHits hits;
  const auto first = hits.use(compiled({rule("A", "local"), rule("B", "html")}));
  ASSERT_EQ(first.size(), 2U);
  first[0]->add(3);
  Rule shadow = rule("A", "local");
  shadow.shadow = true;
  const auto same = hits.use(compiled({rule("A", "bounce"), rule("C", "html")}));
  EXPECT_EQ(same[0]->read(), 3U);
  EXPECT_EQ(same[1]->read(), 0U);
  const auto in_shadow = hits.use(compiled({shadow}));
  EXPECT_EQ(in_shadow[0]->read(), 0U);
  EXPECT_EQ(hits.use(compiled({rule("A", "local")}))[0]->read(), 0U);
}

}  // namespace
}  // namespace shingled::milter::policy
