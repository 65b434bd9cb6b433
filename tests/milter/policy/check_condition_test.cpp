// Covers milter/policy/check_condition.cpp and milter/policy/condition_mistakes.cpp: a table of
// mistakes in conditions, with the place, the text and the hint of each.
#include "milter/policy/check_condition.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "milter/policy/condition_mistakes.h"
#include "milter/policy/rule.h"
#include "tests/milter/policy/policy_world.h"

namespace shingled::milter::policy {
namespace {

using testing::rule;

std::string answer_of(const ConditionProblem& problem) {
  return fmt::format("> {}+{}: {}{}", problem.place.offset + 1, problem.place.length,
                     problem.is_error() ? "" : "warning: ", problem.to_string());
}

std::vector<std::string> answers_to(const std::string& condition) {
  auto result = parse_condition(condition);
  if (const auto* problem = std::get_if<ConditionProblem>(&result)) return {answer_of(*problem)};
  Rule off = rule("OFF", "html");
  off.enabled = false;
  Rule wrong = rule("THIS", "local");
  wrong.condition = std::get<Condition>(std::move(result));
  const std::vector<Rule> rules = {wrong, rule("FLOOD", "subject.mass >= 1000 in 10m"),
                                   rule("NIGHT", "hour < 6"), rule("MINE", "local"), off};
  const CheckContext context{.symbols = {"FUZZY_DENIED", "FUZZY_PROB", "FUZZY_WHITE"}};
  std::vector<std::string> answers;
  for (const RuleProblem& found : check_rules(rules, context)) {
    EXPECT_EQ(found.rule, 0U) << condition;
    answers.push_back(answer_of(found.problem));
  }
  return answers;
}

TEST(CheckCondition, TellsEachMistakeWithItsPlaceAndAHint) {
  const std::string path = SHINGLED_SOURCE_DIR "/tests/data/conditions.txt";
  std::ifstream in(path);
  std::string made;
  std::size_t cases = 0;
  std::vector<std::string> expected;
  std::vector<std::string> answers;
  std::string condition;
  const auto compare = [&] {
    EXPECT_EQ(expected, answers) << condition;
    expected.clear();
    answers.clear();
  };
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("> ")) {
      expected.push_back(line);
      continue;
    }
    if (!line.starts_with("= ")) {
      made += line + '\n';
      continue;
    }
    compare();
    ++cases;
    made += line + '\n';
    std::getline(in, condition);
    made += condition + '\n';
    answers = answers_to(condition);
    EXPECT_FALSE(answers.empty()) << "this is no mistake: " << condition;
    for (const std::string& answer : answers) made += answer + '\n';
  }
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << made;
    return;
  }
  compare();
  EXPECT_GE(cases, 150U);
}

TEST(CheckCondition, AllowsWhatIsRight) {
  const std::vector<std::string> names = {"FLOOD"};
  const CheckContext context{.symbols = {"FUZZY_PROB"}};
  for (const char* const text :
       {"local", "not local", "local = yes and html != no", "bytes > 10M", "bytes >= 1.5K",
        "spf = fail or spf != pass", "language = de", "hour >= 22 or hour < 6", "from.mass >= 1",
        "from.bytes > 1.5G in 1d", "from.recipients >= 10 in 24h", "from.failed >= 10% of 50 in 1d",
        "link_domain.rescue >= 50% of 20 in 14d", "user.unique_countries >= 3 in 1d",
        "user.unique_recipients >= 3x usual in 1d", "stored_hash.unique_reporters >= 5 in 1d",
        "FUZZY_PROB and not FLOOD"}) {
    EXPECT_TRUE(check_condition(testing::parsed(text), names, context).empty()) << text;
  }
}

TEST(CheckCondition, SaysWhatTheSettingsLeaveUnknown) {
  const auto first = [](const char* text, const CheckContext& context) {
    const auto problems = check_condition(testing::parsed(text), {}, context);
    return problems.size() == 1 ? answer_of(problems[0]) : std::to_string(problems.size());
  };
  EXPECT_EQ(first("local and from.spam >= 5 in 1d", {.counters = false}),
            "> 11+9: 'from.spam' is always unknown: counters.enabled is no");
  const CheckContext without{.missing = {{"spf", "counters.pieces.authserv_ids is empty"},
                                         {"user_country", "counters.geoip is not set"},
                                         {"user.unique_countries", "counters.geoip is not set"}}};
  EXPECT_EQ(first("spf = fail", without),
            "> 1+3: warning: 'spf' is always unknown: counters.pieces.authserv_ids is empty");
  EXPECT_EQ(first("user_country.mass >= 1", without),
            "> 1+17: warning: 'user_country' is always unknown: counters.geoip is not set");
  EXPECT_EQ(
      first("user.unique_countries >= 2", without),
      "> 1+21: warning: 'user.unique_countries' is always unknown: counters.geoip is not set");
  EXPECT_EQ(first("user.mass >= 2", without), "0");
}

TEST(CheckCondition, MistakesKnowTheNearestWindow) {
  struct Case {
    const char* text;
    const char* window;
  };
  for (const Case& test :
       {Case{"30d", "14d"}, Case{"1w", "7d"}, Case{"25h", "1d"}, Case{"1m", "10m"},
        Case{"14m", "10m"}, Case{"16m", "20m"}, Case{"1500m", "1d"}, Case{"3days", "3d"},
        Case{"1hour", "1h"}, Case{"99999999999d", ""}, Case{"d", ""}, Case{"7", ""},
        Case{"7q", ""}}) {
    EXPECT_EQ(nearest_window(test.text), test.window) << test.text;
  }
}

}  // namespace
}  // namespace shingled::milter::policy
