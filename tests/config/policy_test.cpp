// Covers config/sections/policy.cpp and config/policy_scale.cpp: rules, files of rules, and which
// of them counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "config/document/yaml_document.h"
#include "config/effective.h"
#include "config/load_settings.h"
#include "tests/support/temporary_directory.h"

namespace shingled::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> texts(const Loaded& loaded) {
  std::vector<std::string> out;
  for (const Problem& problem : loaded.problems) out.push_back(problem.to_string());
  return out;
}

std::string place(const PolicyPlace& at) {
  return at.file + ':' + std::to_string(at.line) + ':' + std::to_string(at.column);
}

class PolicyFiles : public ::testing::Test {
 protected:
  void write(const std::string& name, std::string_view text) const {
    std::ofstream(folder_ + name) << text;
  }
  /// shingled.yaml in the same folder.
  [[nodiscard]] Loaded load(std::string_view text, std::vector<std::string> overrides = {}) const {
    return load_settings(text, folder_ + "shingled.yaml", overrides);
  }

  const shingled::testing::TemporaryDirectory directory_;
  const std::string folder_ = directory_.path().string() + '/';
};

TEST(PolicySection, HasRulesAsTheyAreWritten) {
  const auto loaded = load_settings(R"(
policy:
  rules:
    SPAMMY: {if: from.spam >= 99% of 100 in 14d, score: 1.5, reason: because}
    SPRAYS:
      if: 'user.mass > 5'
      action: Tempfail
      remedy: change the password
      shadow: yes
      enabled: no
)",
                                    "test");
  ASSERT_THAT(texts(loaded), IsEmpty());
  const auto& rules = loaded.settings->policy.rules;
  ASSERT_EQ(rules.size(), 2U);
  EXPECT_EQ(rules[0], (PolicyRuleOptions{.name = "SPAMMY",
                                         .condition = "from.spam >= 99% of 100 in 14d",
                                         .score = 1.5,
                                         .reason = "because"}));
  EXPECT_EQ(rules[1], (PolicyRuleOptions{.name = "SPRAYS",
                                         .condition = "user.mass > 5",
                                         .action = PolicyAction::kTempfail,
                                         .remedy = "change the password",
                                         .shadow = true,
                                         .enabled = false}));
  EXPECT_EQ(place(rules[0].place), "test:4:5");
  EXPECT_EQ(place(rules[0].condition_text.at(0)), "test:4:18");
  EXPECT_EQ(place(rules[0].condition_text.at(5)), "test:4:23");
  EXPECT_EQ(place(rules[0].score_place), "test:4:57");
  EXPECT_EQ(place(rules[1].condition_text.at(5)), "test:6:17");
  EXPECT_EQ(place(rules[1].action_place), "test:7:15");
}

TEST(PolicySection, RefusesScoresWhoseSumIsInfinite) {
  EXPECT_THAT(texts(load_settings("policy:\n  rules:\n    A: {if: local, score: 1e308}\n"
                                  "    B: {if: local, score: -1e9}\n",
                                  "t")),
              ElementsAre(::testing::StartsWith("t:3:27: policy.rules.A.score: ")));
}

TEST(PolicySection, NamesMistakesWithTheirPlaces) {
  EXPECT_THAT(
      texts(load_settings(R"(
policy:
  file: x
  rules:
    ALPHA: {score: 1}
    B: {if: "", score: high}
    C: {if: [x], action: bounce, reason: "a\nb", sahdow: yes}
    D: 5
)",
                          "t")),
      ElementsAre(
          "t:3:3: policy.file: unknown key; did you mean 'files'?",
          "t:6:13: policy.rules.B.if: is empty; allowed: a condition such as from.spam >= 99% of "
          "100 in 14d",
          "t:6:24: policy.rules.B.score: 'high' is not a number; allowed: -1e+09 to 1e+09",
          "t:7:13: policy.rules.C.if: is a list; allowed: a condition such as from.spam >= 99% of "
          "100 in 14d",
          "t:7:26: policy.rules.C.action: 'bounce' is not one of the choices; allowed: add_header, "
          "tempfail, quarantine, reject, discard, accept, deliver",
          "t:7:42: policy.rules.C.reason: has more than one line; allowed: at most 256 bytes of "
          "text in one line, or \"\" for none",
          "t:7:50: policy.rules.C.sahdow: unknown key; did you mean 'shadow'?",
          "t:8:8: policy.rules.D: is a single value; allowed: a map of settings",
          "t:5:5: policy.rules.ALPHA: has no condition; allowed: with a setting of if, or the name "
          "of a rule in policy.files"));
}

TEST_F(PolicyFiles, RulesOfFilesComeFirstAndSingleKeysOfThemChange) {
  write("a.yaml", "rules:\n  A: {if: local, score: 1, shadow: yes}\n  B: {if: html, score: 2}\n");
  write("b.yaml", "policy:\n  rules:\n    B: {score: 3}\n");
  const auto loaded = load(R"(
policy:
  files: [a.yaml, b.yaml]
  rules:
    OWN: {if: bounce, score: 9}
    A: {shadow: no}
)");
  ASSERT_THAT(texts(loaded), IsEmpty());
  const PolicyOptions& policy = loaded.settings->policy;
  EXPECT_THAT(policy.files, ElementsAre(folder_ + "a.yaml", folder_ + "b.yaml"));
  EXPECT_THAT(policy.rules,
              ElementsAre(PolicyRuleOptions{.name = "A", .condition = "local", .score = 1},
                          PolicyRuleOptions{.name = "B", .condition = "html", .score = 3},
                          PolicyRuleOptions{.name = "OWN", .condition = "bounce", .score = 9}));
  EXPECT_EQ(place(policy.rules[0].condition_text.at(2)), folder_ + "a.yaml:2:13");
  EXPECT_EQ(place(policy.rules[1].score_place), folder_ + "b.yaml:3:16");
}

TEST_F(PolicyFiles, AnOverrideChangesARule) {
  write("a.yaml", "rules:\n  A: {if: local, score: 1, shadow: yes}\n");
  const auto loaded = load("policy: {files: a.yaml}", {"policy.rules.A.shadow=no",
                                                       "policy.rules.NEW={if: ' html', score: 5}"});
  ASSERT_THAT(texts(loaded), IsEmpty());
  const auto& rules = loaded.settings->policy.rules;
  ASSERT_EQ(rules.size(), 2U);
  EXPECT_FALSE(rules[0].shadow);
  EXPECT_EQ(rules[1].condition, " html");
  EXPECT_EQ(place(rules[1].condition_text.at(1)), "-o:2:25");
}

TEST_F(PolicyFiles, LiveRulesAreTakenOutOfShadow) {
  write("a.yaml",
        "rules:\n  ONE: {if: local, score: 1, shadow: yes}\n"
        "  TWO: {if: local, score: 1, shadow: yes}\n");
  const auto shadows = [&](const std::string& live) {
    const auto loaded = load("policy: {files: [a.yaml], live: " + live + "}");
    EXPECT_THAT(texts(loaded), IsEmpty());
    return std::pair(loaded.settings->policy.rules[0].shadow,
                     loaded.settings->policy.rules[1].shadow);
  };
  EXPECT_EQ(shadows("[]"), std::pair(true, true));
  EXPECT_EQ(shadows("TWO"), std::pair(true, false));
  EXPECT_EQ(shadows("[ONE, TWO]"), std::pair(false, false));
  EXPECT_EQ(shadows("all"), std::pair(false, false));
  EXPECT_THAT(
      texts(load("policy: {files: [a.yaml], live: [TOW]}")),
      ElementsAre(folder_ + "shingled.yaml:1:34: policy.live[0]: 'TOW' is not the name of a "
                            "rule or of a group; did you mean 'TWO'?"));
  EXPECT_EQ(shadows("[all, -ONE]"), std::pair(true, false));
}

TEST_F(PolicyFiles, AMinusKeepsARuleWhateverItsFiguresAre) {
  write("a.yaml",
        "rules:\n  ONE: {if: local, score: 1, shadow: yes, group: both}\n"
        "  TWO: {if: local, score: 1, shadow: yes, group: both}\n");
  const auto kept = [&](const std::string& live) {
    const auto loaded = load("policy: {files: [a.yaml], live: " + live + "}");
    EXPECT_THAT(texts(loaded), IsEmpty());
    return std::pair(loaded.settings->policy.rules[0].kept, loaded.settings->policy.rules[1].kept);
  };
  EXPECT_EQ(kept("[]"), std::pair(false, false)) << "in shadow, but nobody keeps it there";
  EXPECT_EQ(kept("[-ONE]"), std::pair(true, false));
  EXPECT_EQ(kept("[-both]"), std::pair(true, true));
  EXPECT_EQ(kept("[-both, TWO]"), std::pair(true, false)) << "the last word counts";
}

TEST_F(PolicyFiles, RulesArePromotedAsOneOfThreeWords) {
  EXPECT_EQ(load("policy: {}").settings->policy.promote, PolicyPromote::kAsk);
  for (const PolicyPromote promote :
       {PolicyPromote::kAuto, PolicyPromote::kAsk, PolicyPromote::kOff}) {
    const auto loaded = load("policy: {promote: " + std::string(to_string(promote)) + "}");
    ASSERT_NE(loaded.settings, nullptr);
    EXPECT_EQ(loaded.settings->policy.promote, promote);
  }
  EXPECT_EQ(load("policy: {promote: yes}").settings, nullptr);
  const auto without = load("policy: {promote: auto}\nhistory: {enabled: no}");
  ASSERT_NE(without.settings, nullptr);
  ASSERT_EQ(without.problems.size(), 1U);
  EXPECT_FALSE(without.problems[0].is_error());
  EXPECT_EQ(without.problems[0].key, "policy.promote");
}

TEST_F(PolicyFiles, MistakesInAFileHaveItsName) {
  write("a.yaml", "rules:\n  A: {if: local, scor: 1}\nruels: {}\n");
  write("b.yaml", "policy: {rules: {}, files: [a.yaml]}\n");
  write("c.yaml", "rules:\n  - A\n");
  write("d.yaml", "rules: {A: {if: x}\n");
  write("e.yaml", "just text");
  const auto loaded = load("policy:\n  files: [a.yaml, b.yaml, c.yaml, d.yaml, e.yaml]\n");
  EXPECT_EQ(loaded.settings, nullptr);
  std::vector<std::string> without_folder;
  for (const std::string& text : texts(loaded)) {
    ASSERT_TRUE(text.starts_with(folder_));
    without_folder.push_back(text.substr(folder_.size()));
  }
  EXPECT_THAT(
      without_folder,
      ElementsAre(
          "a.yaml:2:18: rules.A.scor: unknown key; did you mean 'score'?",
          "a.yaml:3:1: ruels: unknown key; did you mean 'rules'?",
          "b.yaml:1:21: policy.files: is not read in a file of rules; allowed: scale, rules",
          "c.yaml:2:3: rules: is a list; allowed: a map of settings",
          "d.yaml:1:8: not valid YAML: end of map flow not found",
          "e.yaml:1:1: is a single value; allowed: a map of settings"));
}

TEST_F(PolicyFiles, ScoresForOtherThresholdsAreMultiplied) {
  struct Case {
    const char* why;
    const char* scale;
    const char* actions;
    double score;  ///< that a rule with 15 has then
  };
  for (const Case& c : {
           Case{"made for 100, and the defaults reject from 10", "scale: 100\n", "{}", 1.5},
           Case{"the thresholds that it is made for", "scale: 100\n",
                "{reject: 100, add_header: 50}", 15},
           Case{"moved somewhat", "scale: 100\n", "{reject: 120, add_header: 50}", 15},
           Case{"another one stops mail much earlier", "scale: 100\n",
                "{reject: 100, quarantine: 20, add_header: 5}", 3},
           Case{"only a mark", "scale: 100\n", "{reject: off, add_header: 100}", 15},
           Case{"only a mark, much earlier", "scale: 100\n", "{reject: off, add_header: 4}", 0.6},
           Case{"nothing is done with the score", "scale: 100\n", "{reject: off, add_header: off}",
                15},
           Case{"much too small", "scale: 1\n", "{reject: 100, add_header: 50}", 1500},
           Case{"says nothing", "", "{}", 15},
       }) {
    write("a.yaml", std::string(c.scale) + "rules: {A: {if: html, score: 15}}\n");
    const Loaded loaded =
        load(std::string("milter: {actions: ") + c.actions +
             "}\npolicy: {files: [a.yaml, a.yaml], rules: {B: {if: html, score: 15}}}\n");
    ASSERT_NE(loaded.settings, nullptr) << c.why;
    const auto& rules = loaded.settings->policy.rules;
    ASSERT_EQ(rules.size(), 2U);
    EXPECT_DOUBLE_EQ(rules[0].score.value_or(0), c.score) << c.why;
    EXPECT_DOUBLE_EQ(rules[1].score.value_or(0), 15) << c.why << ": the site's own";
    ASSERT_EQ(loaded.problems.empty(), c.score == 15) << c.why;
    if (c.score == 15) continue;
    EXPECT_EQ(loaded.problems[0].line, 1) << c.why;
    EXPECT_FALSE(loaded.problems[0].is_error()) << c.why;
  }
  write("b.yaml", "policy: {scale: 100, rules: {A: {if: html, score: 15}}}\n");
  EXPECT_DOUBLE_EQ(*load("policy: {files: [b.yaml]}").settings->policy.rules[0].score, 1.5);
}

TEST_F(PolicyFiles, AFileOfRulesHasTheScoresOfItsOwnFileMultiplied) {
  write("a.yaml", "scale: 100\nrules: {A: {if: html, score: 15}, B: {if: html, score: 1}}\n");
  const Loaded loaded = load("policy: {files: [a.yaml], rules: {A: {score: 2}}}");
  ASSERT_NE(loaded.settings, nullptr);
  EXPECT_DOUBLE_EQ(*loaded.settings->policy.rules[0].score, 2);
  EXPECT_DOUBLE_EQ(*loaded.settings->policy.rules[1].score, 0.1);
}

TEST_F(PolicyFiles, AFileThatIsMissingOrTooLargeIsAnError) {
  write("large.yaml", std::string(kYamlBytesMax + 1, '#'));
  const auto large = load("policy: {files: large.yaml}");
  EXPECT_EQ(large.settings, nullptr);
  const auto missing = load("policy: {files: [none.yaml]}");
  EXPECT_EQ(missing.settings, nullptr);
  ASSERT_EQ(missing.problems.size(), 1U);
  EXPECT_EQ(missing.problems[0].key, "policy.files[0]");
  EXPECT_EQ(missing.problems[0].line, 1);
  EXPECT_THAT(missing.problems[0].what, ::testing::HasSubstr("No such file or directory"));
}

TEST_F(PolicyFiles, TheEffectiveSettingsHaveEachRuleAsItIs) {
  write("a.yaml", "rules:\n  A: {if: local, score: 1, shadow: yes}\n");
  const auto effective = effective_settings(
      "policy:\n  files: [a.yaml]\n  rules:\n    A: {score: 2}\n", folder_ + "shingled.yaml", {});
  std::vector<std::string> lines;
  for (const EffectiveKey& key : effective.keys) {
    if (key.key.starts_with("policy.rules."))
      lines.push_back(key.key + '=' + key.value + ' ' + key.source.substr(folder_.size()));
  }
  EXPECT_THAT(lines, ElementsAre("policy.rules.A.if=local a.yaml:2",
                                 "policy.rules.A.score=2 shingled.yaml:4",
                                 "policy.rules.A.shadow=true a.yaml:2"));
}

}  // namespace
}  // namespace shingled::config
