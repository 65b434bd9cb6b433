// Covers milter/promotion/decide.cpp, too.

#include "milter/promotion/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace shingled::milter::promotion {
namespace {

using config::Judgements;
using config::RuleFigures;
using config::RuleJudgement;
using config::RuleStage;
using std::chrono::days;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr WallTime kNow{days(20'000)};
constexpr std::uint64_t kMail = 10'000;  // that nobody reported
constexpr RuleFigures kGood{.messages = 60, .reported = 58, .unreported = 2};

Judgements today(std::vector<RuleJudgement> rules) {
  return {.messages = kMail + 100, .unreported = kMail, .rules = std::move(rules)};
}

RuleStage next(RuleStage stage, const RuleFigures& figures, PolicyPromote promote,
               days ago = days(1)) {
  const Judgements before =
      today({{.name = "A", .identity = 1, .stage = stage, .since = kNow - ago}});
  return decide(before, today({{.name = "A", .identity = 1, .figures = figures}}), promote, kNow)
      .judgements.rules[0]
      .stage;
}

TEST(Decide, WhatSpeaksForARule) {
  struct Case {
    const char* why;
    RuleFigures figures;
    const char* missing;  ///< empty = good
  };
  for (const Case& c : {
           Case{"all reported", {.messages = 50, .reported = 50}, ""},
           Case{"just enough", {.messages = 50, .reported = 5, .unreported = 10}, ""},
           Case{"nothing at all: it has no effect by itself", {}, "0 of 50 messages"},
           Case{"one message is missing", {.messages = 49, .reported = 49}, "49 of 50 messages"},
           Case{"one report is missing", {.messages = 50, .reported = 4}, "4 of 5 reported"},
           Case{"one was rescued",
                {.messages = 90, .reported = 80, .rescued = 1},
                "1 that people rescued"},
           Case{"one is from a friend",
                {.messages = 90, .reported = 80, .correspondents = 1},
                "1 between people who write to each other"},
           Case{"one in a thousand and one more",
                {.messages = 50, .reported = 39, .unreported = 11},
                "0.11 % of the mail that nobody reported, at most 0.1 %"},
           Case{"stops mail: a person may want that",
                {.messages = 50, .reported = 50, .stopped = 1},
                ""},
       }) {
    EXPECT_EQ(is_good(c.figures, kMail), *c.missing == '\0') << c.why;
    EXPECT_THAT(why_not(c.figures, kMail), HasSubstr(c.missing)) << c.why;
  }
}

TEST(Decide, WhereARuleStandsNext) {
  constexpr auto kShadow = RuleStage::kShadow;
  constexpr auto kProposed = RuleStage::kProposed;
  constexpr auto kPromoted = RuleStage::kPromoted;
  constexpr auto kReturned = RuleStage::kReturned;
  constexpr auto kAsk = PolicyPromote::kAsk;
  constexpr auto kAuto = PolicyPromote::kAuto;
  constexpr RuleFigures kNothing{};
  constexpr RuleFigures kFewer{.messages = 30, .reported = 20};
  constexpr RuleFigures kOneRescue{.messages = 60, .reported = 50, .rescued = 1};
  constexpr RuleFigures kTwoRescues{.messages = 60, .reported = 50, .rescued = 2};
  constexpr RuleFigures kTwoFriends{.messages = 60, .reported = 50, .correspondents = 2};
  constexpr RuleFigures kMany{.messages = 99, .reported = 70, .unreported = 21};
  constexpr RuleFigures kSomewhat{.messages = 99, .reported = 80, .unreported = 19};
  constexpr RuleFigures kStops{.messages = 60, .reported = 50, .stopped = 1};
  struct Case {
    const char* why;
    RuleStage before;
    RuleFigures figures;
    PolicyPromote promote;
    RuleStage after;
    days ago = days(1);
  };
  for (const Case& c : {
           Case{"good figures are proposed", kShadow, kGood, kAsk, kProposed},
           Case{"or go live", kShadow, kGood, kAuto, kPromoted},
           Case{"too little", kShadow, kFewer, kAuto, kShadow},
           Case{"one rescue is too much before", kShadow, kOneRescue, kAuto, kShadow},
           Case{"what stops mail is for a person to decide", kShadow, kStops, kAuto, kProposed},
           Case{"a proposal waits for its answer", kProposed, kFewer, kAsk, kProposed},
           Case{"but not for ever", kProposed, kNothing, kAsk, kShadow},
           Case{"nor when people rescue", kProposed, kTwoRescues, kAsk, kShadow},
           Case{"a proposal goes live when the settings say so", kProposed, kGood, kAuto,
                kPromoted},
           Case{"a proposal that is good no more does not", kProposed, kFewer, kAuto, kProposed},
           Case{"a live rule may be quiet", kPromoted, kNothing, kAuto, kPromoted},
           Case{"one slip of a finger", kPromoted, kOneRescue, kAuto, kPromoted},
           Case{"two people's word", kPromoted, kTwoRescues, kAuto, kReturned},
           Case{"two friends", kPromoted, kTwoFriends, kAuto, kReturned},
           Case{"a little more than what was allowed", kPromoted, kSomewhat, kAuto, kPromoted},
           Case{"twice what was allowed", kPromoted, kMany, kAuto, kReturned},
           Case{"now it stops mail", kPromoted, kStops, kAuto, kReturned},
           Case{"the settings ask again", kPromoted, kGood, kAsk, kProposed},
           Case{"back for a while", kReturned, kGood, kAuto, kReturned, days(13)},
           Case{"then it may be good again", kReturned, kGood, kAuto, kPromoted, days(14)},
           Case{"or not", kReturned, kNothing, kAuto, kShadow, days(14)},
           Case{"a clock that was ahead starts the rest anew", kReturned, kGood, kAuto, kReturned,
                days(-99)},
       }) {
    EXPECT_EQ(next(c.before, c.figures, c.promote, c.ago), c.after) << c.why;
  }
}

TEST(Decide, OneRuleATimeGoesLive) {
  RuleFigures better = kGood;
  better.messages = 90;
  better.reported = 90;
  const auto first =
      decide({}, today({{.name = "A", .figures = kGood}, {.name = "B", .figures = better}}),
             PolicyPromote::kAuto, kNow);
  EXPECT_EQ(first.judgements.find("A")->stage, RuleStage::kProposed);
  EXPECT_EQ(first.judgements.find("B")->stage, RuleStage::kPromoted);
  ASSERT_EQ(first.changes.size(), 2U);
  // With B in force A has no effect any more.
  const auto second =
      decide(first.judgements, today({{.name = "A"}, {.name = "B", .figures = better}}),
             PolicyPromote::kAuto, kNow + days(1));
  EXPECT_EQ(second.judgements.find("A")->stage, RuleStage::kShadow);
  EXPECT_EQ(second.judgements.find("B")->stage, RuleStage::kPromoted);
  EXPECT_EQ(second.judgements.find("B")->since, kNow) << "nothing changed for it";
}

TEST(Decide, ARuleThatChangedBeginsAnew) {
  const Judgements before =
      today({{.name = "A", .identity = 1, .stage = RuleStage::kPromoted, .since = kNow - days(5)}});
  const auto now =
      decide(before, today({{.name = "A", .identity = 2}}), PolicyPromote::kAuto, kNow);
  EXPECT_EQ(now.judgements.rules[0].stage, RuleStage::kShadow);
  EXPECT_EQ(now.judgements.rules[0].since, kNow);
  EXPECT_TRUE(now.changes.empty()) << "another rule did not stand anywhere before";
}

TEST(Decide, ARuleThatIsGoneIsForgotten) {
  const Judgements before = today({{.name = "A", .stage = RuleStage::kPromoted}});
  EXPECT_TRUE(decide(before, today({}), PolicyPromote::kAuto, kNow).judgements.rules.empty());
}

// Whatever happened before: what goes out of shadow is good, and what stays there has not turned.
RC_GTEST_PROP(Decide, NothingIsLiveThatPeopleRescue, ()) {
  const auto small = [](std::uint64_t most) { return *rc::gen::inRange<std::uint64_t>(0, most); };
  std::vector<RuleJudgement> before;
  std::vector<RuleJudgement> fresh;
  for (int i = *rc::gen::inRange(0, 6); i > 0; --i) {
    RuleJudgement rule{.name = std::to_string(i)};
    rule.stage = static_cast<RuleStage>(small(4));
    rule.since = kNow - days(small(30));
    before.push_back(rule);
    rule.figures = {small(100), small(100), small(3), small(3), small(30), small(2)};
    fresh.push_back(rule);
  }
  const Judgements last = today(before);
  const auto decided = decide(last, today(fresh), PolicyPromote::kAuto, kNow);
  int fresh_ones = 0;
  for (const RuleJudgement& rule : decided.judgements.rules) {
    if (rule.stage != RuleStage::kPromoted) continue;
    RC_ASSERT(!has_turned(rule.figures, kMail));
    if (last.find(rule.name)->stage == RuleStage::kPromoted) continue;
    ++fresh_ones;
    RC_ASSERT(is_good(rule.figures, kMail));
  }
  RC_ASSERT(fresh_ones <= 1);
}

TEST(ProposalText, IsTheLineOfSettings) {
  EXPECT_EQ(accepting({.live = {"marks"}}, "A"), "policy.live: [marks, A]");
  EXPECT_EQ(accepting({.live = {}}, "A"), "policy.live: [A]");
}

TEST(ProposalText, NamesWhatTurned) {
  EXPECT_EQ(why_returned({.rescued = 3}, kMail), "3 that people rescued");
  EXPECT_EQ(why_returned({.correspondents = 2}, kMail), "2 between people who write to each other");
  EXPECT_EQ(why_returned({.messages = 2, .unreported = 100}, kMail),
            "1.00 % of the mail that nobody reported");
  EXPECT_EQ(why_returned({.stopped = 1}, kMail), "1 stopped that nobody reported");
  EXPECT_THAT(why_returned({.messages = 2}, kMail), HasSubstr("2 of 50 messages"));
}

using std::chrono::hours;
using std::chrono::minutes;

TEST(SettledTime, ComesOnceADay) {
  constexpr WallTime kMidnight{std::chrono::days(20'000)};
  constexpr auto kOfDay = hours(2) + minutes(30);
  struct Case {
    const char* why;
    WallTime last;
    WallTime now;
    bool due;
  };
  for (const Case& c : {
           Case{"never judged", WallTime(), kMidnight, true},
           Case{"just judged", kMidnight + hours(12), kMidnight + hours(12), false},
           Case{"before the next settled time", kMidnight + hours(12), kMidnight + hours(26),
                false},
           Case{"at it", kMidnight + hours(12), kMidnight + hours(24) + kOfDay, true},
           Case{"judged at the start in the night, the settled time of the day comes",
                kMidnight + hours(1), kMidnight + kOfDay, true},
           Case{"judged at the settled time", kMidnight + kOfDay, kMidnight + hours(24), false},
           Case{"a day later", kMidnight + kOfDay, kMidnight + hours(24) + kOfDay, true},
           Case{"the machine was off for a month", kMidnight, kMidnight + hours(720), true},
           Case{"the clock was ahead and was set back", kMidnight + hours(9000), kMidnight, true},
       }) {
    EXPECT_EQ(is_due(c.last, c.now, kOfDay), c.due) << c.why;
  }
}

// Whatever the time of day is: at most a day passes, and never twice within the same.
TEST(SettledTime, IsNeverFurtherThanADay) {
  constexpr WallTime kStart{std::chrono::days(20'000)};
  for (auto of_day = minutes(0); of_day < hours(24); of_day += minutes(97)) {
    for (auto last = minutes(0); last < hours(24); last += minutes(61)) {
      EXPECT_TRUE(is_due(kStart + last, kStart + last + hours(24), of_day));
      int times = 0;
      WallTime judged = kStart + last;
      for (WallTime now = judged; now < kStart + last + hours(24 * 10); now += minutes(1)) {
        if (!is_due(judged, now, of_day)) continue;
        judged = now;
        ++times;
      }
      EXPECT_EQ(times, 10 - (last == of_day ? 1 : 0)) << of_day.count() << ' ' << last.count();
    }
  }
}

}  // namespace
}  // namespace shingled::milter::promotion
