// Covers config/promotions/replaced_file.cpp, too, and use_decisions of promoted_rules.cpp.
#include "config/promotions/decision_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "config/load_settings.h"
#include "config/promotions/promoted_rules.h"
#include "config/promotions/replaced_file.h"
#include "tests/support/temporary_directory.h"

namespace shingled::config {
namespace {

RuleDecisions two() {
  return {{"A", true, WallTime(std::chrono::seconds(99)), "ann"},
          {"B", false, WallTime(std::chrono::seconds(100)), ""}};
}

TEST(DecisionFile, IsReadAsItWasWritten) {
  const shingled::testing::TemporaryDirectory folder;
  const std::string file = decision_file({.file = folder.file("history.db")});
  EXPECT_TRUE(file.ends_with("history.db.decisions"));
  EXPECT_EQ(read_decisions(file).value_or(two()), RuleDecisions{}) << "without a file";
  ASSERT_TRUE(write_decisions(file, two()));
  const auto read = read_decisions(file);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, two());
  EXPECT_EQ(find_decision(*read, "B")->live, false);
  EXPECT_EQ(find_decision(*read, "C"), nullptr);
}

TEST(DecisionFile, EachCutAndOtherTextIsRefused) {
  const std::string text = text_of(two());
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_FALSE(decisions_of(text.substr(0, length))) << length;
  const std::string title = "shingled rule decisions 1\n";
  for (const std::string& wrong :
       {title + "rule A live at=1\nend 1\n", title + "rule A dead at=1 by=\nend 1\n",
        title + "rule A live at=-1 by=\nend 1\n", title + "rule  live at=1 by=\nend 1\n",
        title + "rule A live at=1 by= x\nend 1\n", title + "end 1\n", title + "end 0\nend 0\n",
        title + "rule A live at=1 by=\nrule A live at=1 by=\nend 2\n",
        std::string("something else\n")})
    EXPECT_FALSE(decisions_of(wrong)) << wrong;
  const auto newer = decisions_of("shingled rule decisions 2\nend 0\n");
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code, ErrorCode::kInvalid);
}

TEST(DecisionFile, ANameIsAWord) {
  EXPECT_EQ(decisions_of(text_of({{"A", true, WallTime(), "an n\nend 7"}})).value()[0].by,
            "an_n_end_7");
}

TEST(UseDecisions, TakesRulesInAndOutOfShadowAndBack) {
  Settings settings;
  settings.policy.rules = {
      {.name = "QUIET", .condition = "local", .score = 4, .shadow = true},
      {.name = "LOUD", .condition = "html", .score = 4},
      {.name = "KEPT", .condition = "html", .score = 4, .shadow = true, .kept = true}};
  const Settings plain = settings;
  const auto shadows = [&] {
    std::string out;
    for (const PolicyRuleOptions& rule : settings.policy.rules)
      out += is_in_shadow(rule) ? 's' : 'l';
    return out;
  };
  EXPECT_EQ(shadows(), "sls");
  use_decisions({{"QUIET", true, {}, ""}, {"LOUD", false, {}, ""}, {"KEPT", true, {}, ""}},
                settings);
  EXPECT_EQ(shadows(), "lss") << "policy.live keeps one";
  use_promotions(Judgements{}, settings);
  use_decisions({{"QUIET", false, {}, ""}, {"LOUD", true, {}, ""}}, settings);
  EXPECT_EQ(shadows(), "sls");
  use_promotions(Judgements{}, settings);
  use_decisions({}, settings);
  EXPECT_EQ(settings, plain) << "what the settings say is still there";
}

TEST(UseDecisions, AreReadWithTheSettings) {
  const shingled::testing::TemporaryDirectory folder;
  const std::string yaml = "history: {file: " + folder.file("history.db") +
                           "}\npolicy: {rules: {A: {if: local, score: 1, shadow: yes}}}\n";
  ASSERT_TRUE(write_decisions(folder.file("history.db.decisions"), two()));
  auto loaded = load_settings(yaml, "shingled.yaml");
  ASSERT_NE(loaded.settings, nullptr);
  EXPECT_FALSE(is_in_shadow(loaded.settings->policy.rules[0]));
  std::ofstream(folder.file("history.db.decisions")) << "nonsense\n";
  loaded = load_settings(yaml, "shingled.yaml");
  ASSERT_NE(loaded.settings, nullptr) << "the daemon starts without them";
  EXPECT_TRUE(is_in_shadow(loaded.settings->policy.rules[0]));
  ASSERT_EQ(loaded.problems.size(), 1U);
  EXPECT_NE(loaded.problems[0].to_string().find("decisions"), std::string::npos);
}

}  // namespace
}  // namespace shingled::config
