#include "config/promotions/promoted_rules.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "config/load_settings.h"
#include "config/promotions/judgement_file.h"
#include "tests/support/temporary_directory.h"

namespace shingled::config {
namespace {

struct World {
  Settings settings;
  Judgements judgements;

  World() {
    settings.policy.promote = PolicyPromote::kAuto;
    settings.policy.rules = {{.name = "A", .condition = "local", .score = 4, .shadow = true},
                             {.name = "B", .condition = "html", .score = 4, .shadow = true}};
    judgements.rules.push_back({.name = "A",
                                .identity = identities_of(settings.policy.rules)[0],
                                .stage = RuleStage::kPromoted});
  }
  [[nodiscard]] bool promotes() {
    use_promotions(judgements, settings);
    EXPECT_FALSE(settings.policy.rules[1].promoted);
    return settings.policy.rules[0].promoted;
  }
};

TEST(PromotedRules, AreThoseThatWereJudgedAndNothingKeeps) {
  struct Case {
    const char* why;
    std::function<void(World&)> change;
    bool promoted;
  };
  for (const Case& c : {
           Case{"good figures", [](World&) {}, true},
           Case{"a person decides",
                [](World& w) { w.settings.policy.promote = PolicyPromote::kAsk; }, false},
           Case{"nothing is judged",
                [](World& w) { w.settings.policy.promote = PolicyPromote::kOff; }, false},
           Case{"no history to judge it on", [](World& w) { w.settings.history.enabled = false; },
                false},
           Case{"-A in live", [](World& w) { w.settings.policy.rules[0].kept = true; }, false},
           Case{"it is not evaluated", [](World& w) { w.settings.policy.rules[0].enabled = false; },
                false},
           Case{"it is live anyway", [](World& w) { w.settings.policy.rules[0].shadow = false; },
                false},
           Case{"another condition",
                [](World& w) { w.settings.policy.rules[0].condition = "html"; }, false},
           Case{"another score", [](World& w) { w.settings.policy.rules[0].score = 5; }, false},
           Case{"only proposed",
                [](World& w) { w.judgements.rules[0].stage = RuleStage::kProposed; }, false},
           Case{"its figures turned",
                [](World& w) { w.judgements.rules[0].stage = RuleStage::kReturned; }, false},
           Case{"no judgements", [](World& w) { w.judgements.rules.clear(); }, false},
       }) {
    World world;
    ASSERT_TRUE(world.promotes()) << c.why;
    c.change(world);
    EXPECT_EQ(world.promotes(), c.promoted) << c.why;
  }
}

TEST(PromotedRules, AreReadWithTheSettings) {
  const shingled::testing::TemporaryDirectory folder;
  const std::string history = folder.file("history.db");
  const std::string yaml =
      "history: {file: " + history +
      "}\npolicy: {promote: auto, rules: {A: {if: local, score: 4, shadow: yes}}}\n";
  const auto before = load_settings(yaml, "shingled.yaml");
  ASSERT_NE(before.settings, nullptr);
  EXPECT_TRUE(before.problems.empty());
  EXPECT_FALSE(before.settings->policy.rules[0].promoted);

  World world;
  world.judgements.rules[0].identity = identities_of(before.settings->policy.rules)[0];
  ASSERT_TRUE(write_judgements(history + ".judgements", world.judgements));
  EXPECT_TRUE(load_settings(yaml, "shingled.yaml").settings->policy.rules[0].promoted);

  std::ofstream(history + ".judgements") << "something else\n";
  const auto broken = load_settings(yaml, "shingled.yaml");
  ASSERT_NE(broken.settings, nullptr) << "mail goes on";
  EXPECT_FALSE(broken.settings->policy.rules[0].promoted);
  ASSERT_EQ(broken.problems.size(), 1U);
  EXPECT_FALSE(broken.problems[0].is_error());
}

}  // namespace
}  // namespace shingled::config
