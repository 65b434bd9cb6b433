// Covers milter/replay/shadow_trial.cpp and milter/replay/row_replay.cpp, too: a history on disk
// gives what a plain count of every message gives.
#include "milter/replay/shadow_trial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "milter/history/row_code.h"
#include "tests/milter/policy/policy_world.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::replay {
namespace {

using config::RuleFigures;
using features::Feature;
using features::Sums;
using history::MessageRecord;
using policy::testing::compiled;
using policy::testing::rule;
using rules::Action;
using rules::Evidence;
using storage::counters::Measure;
using storage::counters::Period;
using storage::sqlite::HistoryRow;
using storage::sqlite::HistoryTable;

constexpr std::uint8_t kSpamLabel = 1;
constexpr std::uint8_t kHamLabel = 2;
constexpr std::int64_t kSecond = 1'000'000;
constexpr WallTime kPromotedAt{std::chrono::seconds(1500)};

ActionOptions thresholds() {
  ActionOptions actions;
  actions.add_header = 4;
  actions.reject = 10;
  return actions;
}

/// What the rules below look at, in plain numbers.
struct Plain {
  std::int64_t seconds = 0;
  std::uint64_t links = 0;
  bool html = false;
  std::uint64_t words = 0;
  double others = 0;  ///< score of other evidence
  std::uint64_t wanted_from_sender = 0;
  std::uint64_t spam_from_sender = 0;
  bool failed = false;
  std::uint8_t label = 0;
};

enum Place : std::size_t {
  kLive,
  kAlone,
  kPartA,
  kPartB,
  kHelper,
  kThrough,
  kStops,
  kOut,
  kFor,
  kRules
};

std::vector<policy::Rule> rules_of_all_kinds() {
  std::vector<policy::Rule> out = {rule("LIVE", "links >= 5", 2),
                                   rule("ALONE", "links >= 3", 4),
                                   rule("PART_A", "links >= 2", 2),
                                   rule("PART_B", "html", 2),
                                   rule("HELPER", "links >= 1", 0),
                                   rule("THROUGH", "HELPER and html"),
                                   rule("STOPS", "links >= 4 and html"),
                                   rule("OUT", "words >= 5", 4),
                                   rule("FOR", "html", -6)};
  for (const Place shadow : {kAlone, kPartA, kPartB, kHelper, kThrough, kStops, kFor})
    out[shadow].shadow = true;
  for (const auto& [place, action] :
       {std::pair(kThrough, Action::kAddHeader), std::pair(kStops, Action::kReject)}) {
    out[place].score.reset();
    out[place].action = action;
  }
  return out;
}

std::vector<JudgedRule> judged_rules() {
  std::vector<JudgedRule> out;
  for (const Place place : {kAlone, kPartA, kPartB, kHelper, kThrough, kStops, kFor})
    out.push_back({.rule = place});
  out.push_back({.rule = kOut, .promoted_at = kPromotedAt});
  return out;
}

HistoryRow row_of_plain(const Plain& plain) {
  MessageRecord record;
  record.windows = {{Period::Unit::kSlot, 6, 0}, {Period::Unit::kDay, 14, 0}, history::kSaidWindow};
  record.features.set_number(Feature::kLinks, plain.links);
  record.features.set_number(Feature::kWords, plain.words);
  record.features.set_yes(Feature::kHtml, plain.html);
  record.pieces.push_back({PieceType::kSenderRecipient, 1, true});
  Sums sums;
  sums.of(Measure::kHam) = plain.wanted_from_sender;
  sums.of(Measure::kSpam) = plain.spam_from_sender;
  record.sums = {Sums{}, sums, Sums{}};
  record.evidence.push_back({"BULK", plain.others, Evidence::Effect::kCounts, false});
  // What rules did then makes no difference.
  record.evidence.push_back({"OLD", 3, Evidence::Effect::kCounts, true});
  record.score = plain.others + 3;
  record.failed = plain.failed;
  return {.time = plain.seconds * kSecond,
          .queue_id = "Q",
          .action = 0,
          .label = plain.label,
          .details = history::encode_record(record)};
}

Action action_at(double score, Action asked) {
  const Action by_score = score >= 10  ? Action::kReject
                          : score >= 4 ? Action::kAddHeader
                                       : Action::kPass;
  return std::max(by_score, asked);
}

void count(const Plain& plain, Action without, Action with, bool needs_reports, RuleFigures& out) {
  if (plain.failed || with <= without) return;
  const bool spam = plain.label == kSpamLabel;
  if (without == Action::kPass) ++out.messages;
  if (without == Action::kPass && spam) ++out.reported;
  if (spam) return;
  if (plain.label == kHamLabel) ++out.rescued;
  if (plain.wanted_from_sender >= 5 && plain.spam_from_sender == 0) ++out.correspondents;
  if (with == Action::kReject) ++out.stopped;
  if (needs_reports) ++out.unreported;
}

/// Counts without the language of rules and the file.
std::vector<RuleFigures> counted_plainly(const std::vector<Plain>& messages) {
  std::vector<RuleFigures> out(8);
  for (const Plain& m : messages) {
    const double written = m.others + (m.links >= 5 ? 2 : 0);
    const double live = written + (m.words >= 5 ? 4 : 0);
    const Action now = action_at(live, Action::kPass);
    const auto shadow = [&](std::size_t place, bool fires, double score, Action asked) {
      if (fires) count(m, now, action_at(live + score, asked), true, out[place]);
    };
    shadow(0, m.links >= 3, 4, Action::kPass);
    shadow(1, m.links >= 2, 2, Action::kPass);
    shadow(2, m.html, 2, Action::kPass);
    shadow(4, m.links >= 1 && m.html, 0, Action::kAddHeader);
    shadow(5, m.links >= 4 && m.html, 0, Action::kReject);
    if (m.words >= 5) count(m, action_at(written, Action::kPass), now, m.seconds < 1500, out[7]);
  }
  return out;
}

class ShadowTrialTest : public ::testing::Test {
 protected:
  void write(const std::vector<HistoryRow>& rows) {
    auto table = HistoryTable::open(path_);
    ASSERT_TRUE(table);
    ASSERT_TRUE((*table)->write(rows, {}));
  }
  void write(const std::vector<Plain>& messages) {
    std::vector<HistoryRow> rows;
    for (const Plain& plain : messages) rows.push_back(row_of_plain(plain));
    write(rows);
  }
  HistoryReport judged(const policy::CompiledRules& rules, const std::vector<JudgedRule>& of) {
    auto report = judge_history(path_, rules, of, thresholds(),
                                [](const storage::WorkDone&) { return true; });
    EXPECT_TRUE(report) << (report ? "" : report.error().message);
    return report ? *std::move(report) : HistoryReport{};
  }

  shingled::testing::TemporaryDirectory folder_;
  std::string path_ = folder_.file("history.db");
};

TEST_F(ShadowTrialTest, EqualsAPlainCount) {
  std::mt19937 random(11);
  const auto below = [&](std::uint32_t most) { return random() % most; };
  std::vector<Plain> messages;
  for (int i = 0; i < 3000; ++i) {
    Plain& plain = messages.emplace_back();
    plain.seconds = 1000 + i;
    plain.links = below(7);
    plain.html = below(2) == 0;
    plain.words = below(8);
    plain.others = static_cast<double>(below(4)) * 2 - 1;
    plain.wanted_from_sender = below(8);
    plain.spam_from_sender = below(2);
    plain.failed = below(20) == 0;
    plain.label = static_cast<std::uint8_t>(below(3));
  }
  write(messages);
  const HistoryReport report = judged(compiled(rules_of_all_kinds()), judged_rules());
  const std::vector<RuleFigures> plain = counted_plainly(messages);
  ASSERT_EQ(report.trial.figures.size(), plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_EQ(report.trial.figures[i], plain[i]) << i;
  for (const std::size_t effective : {0U, 1U, 2U, 4U, 5U, 7U})
    EXPECT_GT(plain[effective].messages + plain[effective].stopped, 100U) << effective;
  EXPECT_EQ(report.trial.messages, 3000U);
  EXPECT_EQ(report.trial.unreported,
            static_cast<std::uint64_t>(std::ranges::count_if(
                messages, [](const Plain& m) { return m.label != kSpamLabel; })));
  EXPECT_EQ(report.first, WallTime(std::chrono::seconds(1000)));
}

TEST_F(ShadowTrialTest, ARuleWithoutAnEffectOfItsOwnHasNoFigures) {
  write(std::vector<Plain>(1, Plain{.seconds = 5, .links = 2, .html = true, .label = kSpamLabel}));
  const HistoryReport report = judged(compiled(rules_of_all_kinds()), judged_rules());
  EXPECT_EQ(report.trial.figures[1], RuleFigures{}) << "2 points, and 4 are needed";
  EXPECT_EQ(report.trial.figures[2], RuleFigures{}) << "the other half";
  EXPECT_EQ(report.trial.figures[3], RuleFigures{}) << "no score and no action";
  EXPECT_EQ(report.trial.figures[4], (RuleFigures{.messages = 1, .reported = 1}))
      << "its helper is in shadow, which makes no difference";
  EXPECT_EQ(report.trial.figures[6], RuleFigures{}) << "speaks for the message";
}

// Neither would count if each were compared with the other one in force.
TEST_F(ShadowTrialTest, WhatTwoMarkThatAreOutOfShadowCountsForBoth) {
  write(
      std::vector<Plain>(1, Plain{.seconds = 2000, .links = 1, .html = true, .label = kHamLabel}));
  const auto rules = compiled({rule("ONE", "html", 4), rule("TWO", "links >= 1", 4)});
  const HistoryReport report = judged(
      rules, {{.rule = 0, .promoted_at = kPromotedAt}, {.rule = 1, .promoted_at = kPromotedAt}});
  EXPECT_EQ(report.trial.figures[0].rescued, 1U);
  EXPECT_EQ(report.trial.figures[1].rescued, 1U);
  EXPECT_EQ(report.trial.figures[0].unreported, 0U) << "it was in the junk folder already";
}

TEST_F(ShadowTrialTest, SaysWhichWindowsARuleLacks) {
  write(std::vector<Plain>(3, Plain{.seconds = 5}));
  auto rules = compiled(
      {rule("HAS", "sender.mass >= 1 in 14d", 4), rule("SHORT", "sender.mass >= 1 in 30m", 0),
       rule("THROUGH", "SHORT and html", 4), rule("SPIKE", "user.mass >= 2x usual in 1h", 4)});
  for (policy::Rule& rule : rules.rules) rule.shadow = true;
  const HistoryReport report = judged(rules, {{.rule = 0}, {.rule = 1}, {.rule = 2}, {.rule = 3}});
  using Lacking = std::map<std::string, std::uint64_t>;
  EXPECT_EQ(report.trial.lacking[0], Lacking{});
  EXPECT_EQ(report.trial.lacking[1], (Lacking{{"30m", 3}}));
  EXPECT_EQ(report.trial.lacking[2], (Lacking{{"30m", 3}})) << "by the rule that it names";
  EXPECT_EQ(report.trial.lacking[3], (Lacking{{"usual", 3}}));
}

TEST_F(ShadowTrialTest, SkipsAndCountsWhatCannotBeRead) {
  HistoryRow broken = row_of_plain({.seconds = 1});
  broken.details = {1, 2, 3};
  write(std::vector{broken, row_of_plain({.seconds = 2})});
  const HistoryReport report = judged(compiled(rules_of_all_kinds()), judged_rules());
  EXPECT_EQ(report.trial.broken, 1U);
  EXPECT_EQ(report.trial.messages, 1U);
}

TEST_F(ShadowTrialTest, StopsSoon) {
  std::vector<Plain> messages(kJudgeEvery * 3);
  for (std::size_t i = 0; i < messages.size(); ++i)
    messages[i].seconds = static_cast<std::int64_t>(i);
  write(messages);
  const auto rules = compiled(rules_of_all_kinds());
  int calls = 0;
  const auto report = judge_history(path_, rules, judged_rules(), thresholds(),
                                    [&](const storage::WorkDone&) { return ++calls < 2; });
  ASSERT_FALSE(report);
  EXPECT_EQ(calls, 2);
}

TEST_F(ShadowTrialTest, AHistoryMayBeEmptyOrAbsent) {
  const auto rules = compiled(rules_of_all_kinds());
  const auto watch = [](const storage::WorkDone&) { return true; };
  const auto absent = judge_history(path_, rules, judged_rules(), thresholds(), watch);
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, ErrorCode::kNotFound);
  write(std::vector<HistoryRow>());
  EXPECT_EQ(judged(rules, judged_rules()).trial.messages, 0U);
}

}  // namespace
}  // namespace shingled::milter::replay
