// Covers milter/policy/cases/policy_cases.cpp, milter/policy/cases/case_run.cpp: cases of rules,
// the list of features, and what the commands say of them.
#include "milter/policy/cases/policy_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sysexits.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "milter/cli/policy/policy_commands.h"
#include "milter/policy/parse_condition.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

policy::CompiledRules rules_of(const std::string& condition) {
  policy::Rule rule;
  rule.name = "RULE";
  rule.condition = std::get<policy::Condition>(policy::parse_condition(condition));
  rule.score = 1;
  return *policy::compile_rules({rule}, {});
}

std::vector<std::string> problems_of(std::string_view text) {
  std::vector<std::string> out;
  for (const auto& problem : policy::read_policy_cases(text, "c", rules_of("local")).problems)
    out.push_back(problem.to_string());
  return out;
}

TEST(PolicyCases, HaveFeaturesCountersAndWhatIsExpected) {
  const auto file = policy::read_policy_cases(R"(cases:
  - name: first
    message: mail/first.eml
    features: {bytes: 12K, local: yes, spf: fail}
    counters: {from.mass in 14d: 188, from.spam: [1, 2], user.mass usual: 24}
    symbols: [FUZZY_PROB]
    other_score: 2.5
    expect: [RULE]
    expect_not: []
    action: reject
    score: -1
  - {}
)",
                                              "c", rules_of("local"));
  ASSERT_THAT(file.problems, IsEmpty());
  ASSERT_EQ(file.cases.size(), 2U);
  const policy::PolicyCase& first = file.cases[0];
  EXPECT_EQ(first.name, "first");
  EXPECT_EQ(first.line, 2);
  EXPECT_EQ(first.message, "mail/first.eml");
  EXPECT_EQ(first.features.number(features::Feature::kBytes), 12U * 1024);
  EXPECT_EQ(first.features.number(features::Feature::kLocal), 1U);
  EXPECT_EQ(first.features.word(features::Feature::kSpf), "fail");
  EXPECT_FALSE(first.features.is_known(features::Feature::kWords));
  ASSERT_EQ(first.counters.size(), 3U);
  EXPECT_EQ(to_string(*first.counters[0].window), "14d");
  EXPECT_THAT(first.counters[1].values, ElementsAre(1, 2));
  EXPECT_FALSE(first.counters[2].window.has_value());
  EXPECT_EQ(first.other_score, 2.5);
  EXPECT_EQ(first.action, rules::Action::kReject);
  EXPECT_EQ(first.score, -1);
  EXPECT_EQ(file.cases[1].name, "case 2");
  EXPECT_EQ(file.cases[1].action, std::nullopt);
}

TEST(PolicyCases, NameTheirMistakes) {
  EXPECT_THAT(
      problems_of(R"(cases:
  - features: {byte: 5, local: maybe, words: many}
    counters: {form.mass: 1, from.mas: 1, from.mass in 30d: 1, from.spam: x}
    expect: [RULES]
    acton: reject
)"),
      ElementsAre(
          StartsWith("c:2:16: cases[0].features.byte: is not a feature; did you mean 'bytes'?"),
          StartsWith("c:2:32: cases[0].features.local: 'maybe' is neither yes nor no"),
          StartsWith("c:2:46: cases[0].features.words: 'many' is not a number"),
          "c:3:16: cases[0].counters.form.mass: there is no such counter; did you mean 'from'?",
          "c:3:30: cases[0].counters.from.mas: the counter has no such measure; did you mean "
          "'mass'?",
          StartsWith("c:3:43: cases[0].counters.from.mass in 30d: "),
          StartsWith("c:3:75: cases[0].counters.from.spam: 'x' is not a whole number"),
          "c:4:14: cases[0].expect[0]: 'RULES' is not the name of a rule; did you mean 'RULE'?",
          "c:5:5: cases[0].acton: unknown key; did you mean 'action'?"));
}

TEST(PolicyCases, CountersThatAreNotNamedAreUnknownAndTheRestOfOthersIsZero) {
  const auto rules =
      rules_of("from.spam >= 9 in 14d or from.mass >= 10x usual in 1h or link_domain.mass >= 2");
  const auto file = policy::read_policy_cases(
      "cases: [{counters: {from.spam in 14d: 7, from.mass usual: 24}}]", "c", rules);
  ASSERT_THAT(file.problems, IsEmpty());
  const auto readings = policy::readings_of(file.cases[0], rules);
  for (std::size_t need = 0; need < rules.needs.size(); ++need) {
    if (to_string(rules.needs[need].type) == "link_domain") {
      EXPECT_THAT(readings.of(need), IsEmpty());
      continue;
    }
    ASSERT_EQ(readings.of(need).size(), 1U);
    const auto& sums = readings.of(need)[0].sums;
    const auto& windows = rules.needs[need].windows;
    ASSERT_EQ(sums.size(), windows.size());
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const bool day_before = windows[i].skipped > 0;
      EXPECT_EQ(sums[i].of(policy::Measure::kMass), day_before ? 24U : 0U);
      EXPECT_EQ(sums[i].of(policy::Measure::kSpam), to_string(windows[i]) == "14d" ? 7U : 0U);
    }
  }
}

// ---- the commands
// --------------------------------------------------------------------------------

class PolicyCommands : public ::testing::Test {
 protected:
  PolicyCommands() {
    write("shingled.yaml",
          "milter: {actions: {reject: 3, add_header: 1}}\n"
          "policy:\n  rules:\n"
          "    SPAMMY: {if: from.spam >= 99% of 100 in 14d, score: 1.5}\n"
          "    QUIET: {if: html, score: 9, shadow: yes}\n");
    settings_->file = folder_.file("shingled.yaml");
  }
  void write(const std::string& name, std::string_view text) const {
    std::ofstream(folder_.file(name)) << text;
  }
  int test_cases(std::string_view text, std::vector<std::string> rules = {}) {
    write("cases.yaml", text);
    PolicyTestArguments arguments;
    arguments.settings = settings_;
    arguments.json = json_;
    arguments.cases = folder_.file("cases.yaml");
    arguments.rules = std::move(rules);
    return run_policy_test(arguments, console_);
  }
  int check_files(std::vector<std::string> files) {
    PolicyCheckArguments arguments;
    arguments.settings = settings_;
    arguments.json = json_;
    arguments.files = std::move(files);
    return run_policy_check(arguments, console_);
  }

  const shingled::testing::TemporaryDirectory folder_;
  const std::shared_ptr<SettingsArguments> settings_ = std::make_shared<SettingsArguments>();
  std::ostringstream out_;
  std::ostringstream err_;
  Console console_{out_, err_};
  bool json_ = false;
};

TEST_F(PolicyCommands, CasesThatAreAsTheyShouldBePass) {
  EXPECT_EQ(test_cases(R"(cases:
  - features: {html: yes}
    counters: {from.mass in 14d: 188, from.spam in 14d: 187}
    expect: [SPAMMY, QUIET]
    score: 1.5
    action: add_header
  - counters: {from.mass in 14d: 99, from.spam in 14d: 99}
    expect_not: [SPAMMY, QUIET]
    other_score: 3
    action: reject
)"),
            EX_OK)
      << out_.str() << err_.str();
  EXPECT_EQ(out_.str(), "2 cases, 0 failed\n");
}

TEST_F(PolicyCommands, CasesThatFailSayWhichNumbersDecided) {
  EXPECT_EQ(test_cases(R"(cases:
  - name: few
    counters: {from.mass in 14d: 99, from.spam in 14d: 99}
    expect: [SPAMMY, QUIET]
    score: 1
    action: reject
  - name: much
    counters: {from.mass in 14d: 188, from.spam in 14d: 187}
    expect_not: [SPAMMY]
)"),
            EX_DATAERR);
  const std::string at = folder_.file("cases.yaml");
  EXPECT_THAT(out_.str(),
              HasSubstr(at + ":2: few: SPAMMY should fire but is false: from.spam 99 of 99"));
  EXPECT_THAT(out_.str(), HasSubstr(at + ":2: few: QUIET should fire but is unknown: "));
  EXPECT_THAT(out_.str(), HasSubstr(at + ":2: few: the rules give 0.00 and should give 1.00\n"));
  EXPECT_THAT(out_.str(), HasSubstr(at + ":2: few: the action is pass and should be reject\n"));
  EXPECT_THAT(out_.str(), HasSubstr(at + ":7: much: SPAMMY should not fire: from.spam 187 of 188"));
  EXPECT_THAT(out_.str(), HasSubstr("2 cases, 2 failed\n"));
}

TEST_F(PolicyCommands, CasesCanHaveTheirMessageInAFile) {
  write("shingled.yaml",
        "policy:\n  rules:\n    LINKS: {if: links >= 2 and subject.mass >= 5, score: 1}\n"
        "    LATE: {if: hour >= 0, score: 1}\n    LOCAL: {if: local, score: 1}\n"
        "    BIG: {if: bytes >= 10K, score: 1}\n");
  write("two.eml",
        "From: a@example.org\nSubject: Hello\n\nSee https://one.example.org/ and "
        "https://two.example.org/ today.\n");
  EXPECT_EQ(test_cases(R"(cases:
  - message: two.eml
    features: {local: yes}
    counters: {subject.mass: 5}
    expect: [LINKS, LOCAL]
    expect_not: [LATE, BIG]
  - message: two.eml
    features: {links: 1, bytes: 20K, hour: 3}
    counters: {subject.mass: 5}
    expect: [BIG, LATE]
    expect_not: [LINKS, LOCAL]
)"),
            EX_OK)
      << out_.str() << err_.str();
  EXPECT_EQ(test_cases("cases: [{message: two.eml, expect: [BIG]}]"), EX_DATAERR);
  EXPECT_THAT(out_.str(), HasSubstr("BIG should fire but is false: bytes "));
}

TEST_F(PolicyCommands, AMessageThatCannotBeReadIsNamed) {
  EXPECT_EQ(test_cases("cases: [{name: lost, message: none.eml}]"), EX_NOINPUT);
  EXPECT_THAT(err_.str(), HasSubstr(":1: lost: none.eml: "));
  write("two.mbox",
        "From a@example.org Thu Jan  1 00:00:00 1970\nSubject: 1\n\nOne.\n\n"
        "From a@example.org Thu Jan  1 00:00:00 1970\nSubject: 2\n\nTwo.\n");
  EXPECT_EQ(test_cases("cases: [{message: two.mbox}]"), EX_DATAERR);
  EXPECT_THAT(err_.str(), HasSubstr("a case has one message, not several"));
  settings_->overrides = {"milter.message_bytes_max=1K"};
  write("long.eml", "Subject: long\n\n" + std::string(2000, 'x') + "\n");
  EXPECT_EQ(test_cases("cases: [{message: long.eml}]"), EX_DATAERR);
  EXPECT_THAT(err_.str(), HasSubstr("milter.message_bytes_max"));
}

TEST_F(PolicyCommands, CasesCanBeTestedAgainstOtherRules) {
  write("other.yaml", "rules: {OTHER: {if: local, score: 1}}\n");
  EXPECT_EQ(test_cases("cases: [{features: {local: yes}, expect: [OTHER]}]",
                       {folder_.file("other.yaml")}),
            EX_OK)
      << err_.str();
  json_ = true;
  EXPECT_EQ(test_cases("cases: [{features: {local: yes}, expect_not: [OTHER]}]",
                       {folder_.file("other.yaml")}),
            EX_DATAERR);
  const Json json = Json::parse(out_.str().substr(out_.str().find('{')));
  EXPECT_EQ(json["passed"], false);
  EXPECT_EQ(json["failures"].size(), 1U);
}

TEST_F(PolicyCommands, WrongCasesRulesAndFilesHaveExitCodesOfTheirOwn) {
  EXPECT_EQ(test_cases("cases: [{expect: [SPAMY]}]"), EX_DATAERR);
  EXPECT_THAT(err_.str(), HasSubstr("did you mean 'SPAMMY'?"));
  write("bad.yaml", "rules: {OTHER: {if: lcoal, score: 1}}\n");
  EXPECT_EQ(test_cases("cases: []", {folder_.file("bad.yaml")}), EX_CONFIG);
  PolicyTestArguments missing;
  missing.settings = settings_;
  missing.cases = folder_.file("none.yaml");
  EXPECT_EQ(run_policy_test(missing, console_), EX_NOINPUT);
}

TEST_F(PolicyCommands, CheckTellsAllProblemsOfFiles) {
  EXPECT_EQ(check_files({}), EX_OK) << err_.str();
  EXPECT_EQ(out_.str(), "2 rules: no error found\n");
  write("bad.yaml", "rules:\n  ONE: {if: lcoal, score: 1}\n  TWO: {if: html and, score: 1}\n");
  EXPECT_EQ(check_files({folder_.file("bad.yaml")}), EX_CONFIG);
  EXPECT_THAT(err_.str(),
              HasSubstr("/bad.yaml:2:13: rule ONE: unknown symbol 'lcoal'; did you mean "
                        "'local'?\n"));
  EXPECT_THAT(err_.str(), HasSubstr("/bad.yaml:3:"));
  EXPECT_EQ(check_files({folder_.file("none.yaml")}), EX_CONFIG);
  json_ = true;
  out_.str("");
  EXPECT_EQ(check_files({folder_.file("bad.yaml")}), EX_CONFIG);
  const Json json = Json::parse(out_.str().substr(0, out_.str().find('\n')));
  EXPECT_EQ(json["line"], 2);
  EXPECT_EQ(json["severity"], "error");
}

TEST_F(PolicyCommands, FeaturesAreListedWithTheirMeasures) {
  EXPECT_EQ(run_features({}, console_), EX_OK);
  EXPECT_THAT(out_.str(), HasSubstr("\nbytes "));
  EXPECT_THAT(out_.str(), HasSubstr("\nlink_domain "));
  EXPECT_THAT(out_.str(), HasSubstr("unique_senders"));
  out_.str("");
  EXPECT_EQ(run_features({.json = true}, console_), EX_OK);
  std::istringstream lines(out_.str());
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const Json json = Json::parse(line);
    EXPECT_FALSE(json["name"].get<std::string>().empty());
    EXPECT_FALSE(json["help"].get<std::string>().empty());
    EXPECT_FALSE(json["source"].get<std::string>().empty());
  }
  EXPECT_EQ(count, features::features().size() + features::names().size() +
                       policy::counter_features().size());
}

}  // namespace
}  // namespace shingled::milter::cli
