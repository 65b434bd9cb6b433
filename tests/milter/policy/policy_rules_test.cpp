#include "milter/policy/policy_rules.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "config/load_settings.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::policy {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> texts(const std::vector<config::Problem>& problems) {
  std::vector<std::string> out;
  for (const config::Problem& problem : problems) out.push_back(problem.to_string());
  return out;
}

/// All problems of a text of shingled.yaml.
std::vector<std::string> problems_of(std::string_view yaml,
                                     std::vector<std::string> overrides = {}) {
  const auto loaded = config::load_settings(yaml, "f.yaml", overrides);
  if (loaded.settings == nullptr) return texts(loaded.problems);
  return texts(policy_rules(*loaded.settings).problems);
}

// ---- the table of mistakes, in each style of scalar
// ----------------------------------------------

struct Mistake {
  std::string condition;
  std::vector<std::string> answers;  ///< "> COLUMN+LENGTH: what"
};

std::vector<Mistake> mistakes() {
  std::ifstream in(SHINGLED_SOURCE_DIR "/tests/data/conditions.txt");
  std::vector<Mistake> out;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("= ")) {
      std::getline(in, out.emplace_back().condition);
    } else if (line.starts_with("> ") && !out.empty()) {
      out.back().answers.push_back(line);
    }
  }
  return out;
}

/// Writes a text and knows where each byte of the condition is.
class Writer {
 public:
  void raw(std::string_view text) {
    for (const char c : text) {
      text_ += c;
      column_ = c == '\n' ? 1 : column_ + 1;
      line_ += c == '\n' ? 1 : 0;
    }
  }
  /// Bytes of the file that are the next byte of the condition.
  void letter(std::string_view written) {
    places_.emplace_back(line_, column_);
    raw(written);
  }
  /// The place behind the condition.
  void end() { places_.emplace_back(line_, column_); }
  [[nodiscard]] std::pair<int, int> at(std::size_t offset) const { return places_.at(offset); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<std::pair<int, int>> places_;
  int line_ = 1;
  int column_ = 1;
};

constexpr std::string_view kOtherRules = R"(policy:
  rules:
    FLOOD: {if: subject.mass >= 1000 in 10m, score: 1}
    NIGHT: {if: hour < 6, score: 1}
    MINE: {if: local, score: 1}
    OFF: {if: html, score: 1, enabled: no}
    THIS:
      score: 1
)";

enum class Style { kPlain, kSingle, kDouble, kEscaped, kLiteral, kFolded, kFoldedPlain };

bool is_alone(std::string_view text, std::size_t at) {
  return text[at] == ' ' && at > 0 && at + 1 < text.size() && text[at - 1] != ' ' &&
         text[at + 1] != ' ';
}

Writer written(const std::string& condition, Style style) {
  Writer out;
  out.raw(kOtherRules);
  out.raw("      if: ");
  const bool folded = style == Style::kFolded || style == Style::kFoldedPlain;
  if (style == Style::kSingle) out.raw("'");
  if (style == Style::kDouble || style == Style::kEscaped) out.raw("\"");
  if (style == Style::kLiteral) out.raw("|-\n        ");
  if (style == Style::kFolded) out.raw(">-\n        ");
  for (std::size_t i = 0; i < condition.size(); ++i) {
    const char c = condition[i];
    const std::string same(1, c);
    if (style == Style::kSingle && c == '\'') {
      out.letter("''");
    } else if ((style == Style::kDouble || style == Style::kEscaped) && (c == '"' || c == '\\')) {
      out.letter("\\" + same);
    } else if (style == Style::kEscaped && c > ' ' && c <= '~' && i % 3 == 1) {
      out.letter(fmt::format("\\x{:02x}", static_cast<unsigned>(c)));
    } else if (folded && is_alone(condition, i)) {
      out.letter("\n        ");
    } else {
      out.letter(same);
    }
  }
  out.end();
  if (style == Style::kSingle) out.raw("'");
  if (style == Style::kDouble || style == Style::kEscaped) out.raw("\"");
  out.raw("\n");
  return out;
}

/// Whether YAML reads the condition again in this style.
bool fits(const std::string& condition, const config::Loaded& loaded) {
  return loaded.settings != nullptr && loaded.settings->policy.rules.back().condition == condition;
}

/// The answers with the places in the file.
std::vector<std::string> expected(const Mistake& mistake, const Writer& file) {
  std::vector<std::string> out;
  for (const std::string& answer : mistake.answers) {
    const std::size_t column = std::stoul(answer.substr(2));
    const auto [line, in_line] = file.at(column - 1);
    std::string what = answer.substr(answer.find(": ") + 2);
    const bool warning = what.starts_with("warning: ");
    if (warning) what = what.substr(9);
    out.push_back(fmt::format("f.yaml:{}:{}: {}rule THIS: {}", line, in_line,
                              warning ? "warning: " : "", what));
  }
  return out;
}

TEST(PolicyRules, PlacesOfMistakesAreRightInEachStyleOfScalar) {
  const CheckContext context{.symbols = {"FUZZY_DENIED", "FUZZY_PROB", "FUZZY_WHITE"}};
  const auto table = mistakes();
  ASSERT_GE(table.size(), 150U);
  for (const Style style : {Style::kPlain, Style::kSingle, Style::kDouble, Style::kEscaped,
                            Style::kLiteral, Style::kFolded, Style::kFoldedPlain}) {
    std::size_t compared = 0;
    for (const Mistake& mistake : table) {
      const Writer file = written(mistake.condition, style);
      const auto loaded = config::load_settings(file.text(), "f.yaml");
      if (!fits(mistake.condition, loaded)) continue;
      const auto rules = policy_rules(loaded.settings->policy, context);
      EXPECT_EQ(texts(rules.problems), expected(mistake, file)) << file.text();
      ++compared;
    }
    EXPECT_GE(compared, style == Style::kPlain || style == Style::kFoldedPlain ? 150U : 190U)
        << static_cast<int>(style);
  }
}

TEST(PolicyRules, MistakesInAFileOfRulesHaveItsName) {
  const shingled::testing::TemporaryDirectory folder;
  std::ofstream(folder.file("more.yaml"))
      << "rules:\n  ONE: {if: 'local and lcoal', score: 1}\n  TWO: {if: hour > x, score: 1}\n";
  const auto loaded = config::load_settings(
      "policy: {files: [more.yaml], rules: {ONE: {score: 2}}}", folder.file("shingled.yaml"));
  ASSERT_NE(loaded.settings, nullptr);
  const std::string file = folder.file("more.yaml");
  EXPECT_THAT(texts(policy_rules(*loaded.settings).problems),
              ElementsAre(file + ":2:24: rule ONE: unknown symbol 'lcoal'; did you mean "
                                 "'local'?",
                          file + ":3:20: rule TWO: 'x' is not a number"));
}

// ---- what is wrong with the rules together
// -------------------------------------------------------

TEST(PolicyRules, TellsAllProblemsAtOnce) {
  EXPECT_THAT(problems_of(R"(policy:
  rules:
    A: {if: B or local, score: 1}
    B: {if: 'html and A', score: 1}
    spf: {if: local, score: 1}
    NOTHING: {if: local}
    FUZZY_DENIED: {if: local, score: 1}
    BROKEN: {if: local and, score: 1}
    NEEDS: {if: BROKEN and not local, score: 1}
)"),
              ElementsAre("f.yaml:4:23: rule B: these rules need each other: A -> B -> A",
                          "f.yaml:5:5: rule spf: 'spf' is a word of the language of rules",
                          "f.yaml:6:5: rule NOTHING: a rule needs a score, an action or both",
                          "f.yaml:7:5: rule FUZZY_DENIED: 'FUZZY_DENIED' is the symbol of another "
                          "source",
                          "f.yaml:8:27: rule BROKEN: a comparison or a symbol is missing between "
                          "'and' and the end"));
}

TEST(PolicyRules, KnowWhatTheSettingsLeaveUnknown) {
  EXPECT_THAT(
      problems_of("counters: {enabled: no}\npolicy: {rules: {A: {if: from.mass > 5, score: 1}}}"),
      ElementsAre("f.yaml:2:26: rule A: 'from.mass' is always unknown: counters.enabled is no"));
  EXPECT_THAT(problems_of("policy: {rules: {A: {if: spf = fail, score: 1}}}"),
              ElementsAre("f.yaml:1:26: warning: rule A: 'spf' is always unknown: "
                          "counters.authserv_ids is empty"));
  EXPECT_THAT(problems_of("counters: {authserv_ids: [mx.example.org]}\n"
                          "policy: {rules: {A: {if: spf = fail, score: 1}}}"),
              IsEmpty());
}

TEST(PolicyRules, KnowTheSymbolsOfOtherSources) {
  EXPECT_THAT(problems_of(R"(
ratelimit: {symbol: TOO_MUCH}
similar: {lists: [{name: bad}]}
rules: {feed: {servers: a.example, flags: {feed: {flag: 9}}, skip_unknown: no, symbol: FEED_OTHER}}
policy:
  rules:
    A: {if: TOO_MUCH and SIMILAR_BAD and FUZZY_FEED and FUZZY_DENIED and FEED_OTHER, score: 1}
)"),
              IsEmpty());
}

TEST(PolicyRules, AreCompiledWithAllTheirKeys) {
  const auto loaded = config::load_settings(R"(
policy:
  rules:
    A: {if: local, action: quarantine, remedy: look, reason: odd, shadow: yes}
    B: {if: A, score: -2, enabled: no}
)",
                                            "f.yaml");
  const auto rules = policy_rules(*loaded.settings);
  ASSERT_NE(rules.rules, nullptr);
  ASSERT_EQ(rules.rules->rules.size(), 2U);
  const Rule& a = rules.rules->rules[0];
  EXPECT_EQ(a.action, rules::Action::kQuarantine);
  EXPECT_EQ(a.remedy, "look");
  EXPECT_EQ(a.reason, "odd");
  EXPECT_TRUE(a.shadow);
  EXPECT_EQ(rules.rules->rules[1].score, -2);
  EXPECT_FALSE(rules.rules->rules[1].enabled);
}

TEST(PolicyRules, EachActionHasItsName) {
  for (const char* name : {"add_header", "tempfail", "quarantine", "reject", "discard"}) {
    const auto loaded = config::load_settings(
        fmt::format("policy: {{rules: {{A: {{if: local, action: {}}}}}}}", name), "f.yaml");
    ASSERT_NE(loaded.settings, nullptr);
    EXPECT_EQ(to_string(*policy_rules(*loaded.settings).rules->rules[0].action), name);
  }
}

TEST(PolicyRules, WithoutRulesThereIsNothingToDo) {
  const auto rules = policy_rules(Settings{});
  ASSERT_NE(rules.rules, nullptr);
  EXPECT_TRUE(rules.rules->rules.empty());
  EXPECT_THAT(texts(rules.problems), IsEmpty());
}

// ---- bounds
// --------------------------------------------------------------------------------------

TEST(PolicyRules, AMegabyteOfBracketsIsOneProblem) {
  const std::string brackets(1'000'000, '(');
  EXPECT_THAT(problems_of("policy: {rules: {A: {if: '" + brackets + "', score: 1}}}"),
              ElementsAre(::testing::StartsWith("f.yaml:1:")));
  EXPECT_THAT(problems_of("policy: {rules: {A: {if: '" + std::string(4000, '(') + "', score: 1}}}"),
              ElementsAre(::testing::StartsWith("f.yaml:1:")));
}

TEST(PolicyRules, MoreMistakesThanAnybodyReadsAreCounted) {
  std::string yaml = "policy:\n  rules:\n";
  for (int i = 0; i < 500; ++i) yaml += fmt::format("    R{}: {{if: lcoal, score: 1}}\n", i);
  const auto problems = problems_of(yaml);
  ASSERT_EQ(problems.size(), 201U);
  EXPECT_EQ(problems.back(), "f.yaml: policy.rules: and 300 more problems");
}

TEST(PolicyRules, ALongCircleAndTooManyRulesAreProblems) {
  std::string yaml = "policy:\n  rules:\n";
  for (int i = 0; i < 1000; ++i)
    yaml += fmt::format("    R{}: {{if: R{}, score: 1}}\n", i, (i + 1) % 1000);
  const auto circle = problems_of(yaml);
  ASSERT_EQ(circle.size(), 1U);
  EXPECT_THAT(circle[0], ::testing::HasSubstr("these rules need each other: R0 -> R1 -> "));

  PolicyOptions options;
  options.rules.resize(kRulesMax + 1);
  for (PolicyRuleOptions& rule : options.rules) rule.condition = "local";
  const auto many = policy_rules(options, {});
  EXPECT_EQ(many.rules, nullptr);
  ASSERT_EQ(many.problems.size(), 1U);
  EXPECT_THAT(many.problems[0].what, ::testing::HasSubstr("at most 10000 rules"));
}

}  // namespace
}  // namespace shingled::milter::policy
