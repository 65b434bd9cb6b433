// Covers config/promotions/judgement_file.cpp.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "config/promotions/judgement_file.h"

namespace shingled::config {
namespace {

WallTime any_time() {
  return WallTime(std::chrono::seconds(*rc::gen::inRange<std::int64_t>(0, 253'402'300'800)));
}

Judgements any_judgements() {
  const auto number = [] { return *rc::gen::arbitrary<std::uint64_t>(); };
  Judgements out{.judged = any_time(),
                 .messages = number(),
                 .unreported = number(),
                 .broken = number(),
                 .first = any_time()};
  const int rules = *rc::gen::inRange(0, 6);
  for (int i = 0; i < rules; ++i) {
    RuleJudgement rule{.name = "RULE_" + std::to_string(i), .identity = number()};
    rule.stage = static_cast<RuleStage>(*rc::gen::inRange(0, 4));
    rule.since = any_time();
    rule.figures = {number(), number(), number(), number(), number(), number()};
    for (int w = *rc::gen::inRange(0, 3); w > 0; --w)
      rule.lacking.emplace(std::to_string(10 * w) + "m", number());
    out.rules.push_back(std::move(rule));
  }
  return out;
}

RC_GTEST_PROP(JudgementText, IsReadAsItWasWritten, ()) {
  const Judgements all = any_judgements();
  const auto read = judgements_of(text_of(all));
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == all);
}

RC_GTEST_PROP(JudgementText, CutAnywhereIsRefused, ()) {
  const std::string text = text_of(any_judgements());
  const auto length = *rc::gen::inRange<std::size_t>(0, text.size());
  RC_ASSERT(!judgements_of(std::string_view(text).substr(0, length)));
}

RC_GTEST_PROP(JudgementText, AnyBytesAreReadOrRefused, (const std::string& bytes)) {
  const auto read = judgements_of(bytes);
  if (read) RC_ASSERT(*judgements_of(text_of(*read)) == *read);
}

constexpr const char* kWhole = "judged=5 messages=9 unreported=8 broken=0 first=1\n";
constexpr const char* kRule =
    "rule A id=00000000000000ff state=promoted since=4 messages=1 reported=2 rescued=3 "
    "correspondents=4 unreported=5 stopped=6 30m=7\n";

TEST(JudgementText, HasALineForEachRule) {
  const auto read =
      judgements_of(std::string("shingled rule judgements 1\n") + kWhole + kRule + "end 1\n");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->rules.size(), 1U);
  const RuleJudgement& rule = read->rules[0];
  EXPECT_EQ(rule.identity, 0xffU);
  EXPECT_EQ(rule.stage, RuleStage::kPromoted);
  EXPECT_EQ(rule.figures, (RuleFigures{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(rule.lacking.at("30m"), 7U);
}

TEST(JudgementText, RefusesWhatItIsNot) {
  struct Case {
    const char* why;
    std::string text;
  };
  const std::string title = "shingled rule judgements 1\n";
  for (const Case& c : {
           Case{"nothing", ""},
           Case{"another file", "SQLite format 3\n"},
           Case{"a newer version",
                "shingled rule judgements 2\n" + std::string(kWhole) + "end 0\n"},
           Case{"a number that is none",
                title + "judged=x messages=9 unreported=8 broken=0 first=1\nend 0\n"},
           Case{"a moment that no clock shows",
                title + "judged=-1 messages=9 unreported=8 broken=0 first=1\nend 0\n"},
           Case{"another number of rules", title + kWhole + kRule + "end 2\n"},
           Case{"a rule twice", title + kWhole + kRule + kRule + "end 2\n"},
           Case{"something behind the end", title + kWhole + "end 0\nend 0\n"},
           Case{
               "a stage that does not exist",
               title + kWhole +
                   "rule A id=00000000000000ff state=great since=4 messages=1 reported=2 rescued=3 "
                   "correspondents=4 unreported=5 stopped=6\nend 1\n"},
       }) {
    EXPECT_FALSE(judgements_of(c.text)) << c.why;
  }
}

}  // namespace
}  // namespace shingled::config
