// Covers packaging/policy.yaml and packaging/policy-shingler.yaml: each is right with the shipped
// configuration, and the sum of the second one on its scale of 100.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "config/load_settings.h"
#include "milter/policy/evaluate.h"
#include "milter/policy/policy_rules.h"

namespace shingled::milter::policy {
namespace {

using storage::counters::Measure;
using ::testing::IsEmpty;

const std::string kPackaging = SHINGLED_SOURCE_DIR "/packaging/";

config::Loaded shipped_with(const std::string& file, std::vector<std::string> overrides = {}) {
  overrides.push_back("policy.files=[\"" + kPackaging + file + "\"]");
  return config::load_settings_file(kPackaging + "shingled.yaml", overrides);
}

std::vector<std::string> rule_files() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(kPackaging)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("policy") && name.ends_with(".yaml")) out.push_back(name);
  }
  return out;
}

TEST(ShippedRules, AreRightWithTheShippedConfiguration) {
  const auto files = rule_files();
  EXPECT_THAT(files, ::testing::Contains("policy-shingler.yaml"));
  for (const std::string& file : files) {
    const bool of_100 = file == "policy-shingler.yaml";
    const auto loaded = of_100
                            ? shipped_with(file, {"milter.actions={reject: 100, add_header: 50}"})
                            : shipped_with(file);
    std::vector<std::string> problems;
    for (const auto& problem : loaded.problems) problems.push_back(problem.to_string());
    ASSERT_NE(loaded.settings, nullptr) << ::testing::PrintToString(problems);
    const auto rules = policy_rules(*loaded.settings);
    for (const auto& problem : rules.problems) problems.push_back(problem.to_string());
    EXPECT_THAT(problems, IsEmpty());
    ASSERT_NE(rules.rules, nullptr);
    EXPECT_GE(rules.rules->rules.size(), 20U) << file;
  }
}

TEST(ShippedRules, EachRuleHasACommentAboveItOrAboveItsGroup) {
  for (const std::string& file : rule_files()) {
    std::ifstream in(kPackaging + file);
    bool explained = false;
    for (std::string line; std::getline(in, line);) {
      const std::size_t first = line.find_first_not_of(' ');
      if (first == std::string::npos) {
        explained = false;
      } else if (line[first] == '#') {
        explained = true;
      } else if (first == 2 && line != "  rules:") {
        EXPECT_TRUE(explained) << file << ": " << line;
      }
    }
  }
}

/// What counters say: every window of a type has the same sums.
CounterReadings readings(const CompiledRules& rules,
                         const std::vector<std::pair<PieceType, Sums>>& known) {
  CounterReadings out(rules.needs.size());
  for (std::size_t need = 0; need < rules.needs.size(); ++need) {
    const auto found =
        std::ranges::find(known, rules.needs[need].type, &std::pair<PieceType, Sums>::first);
    if (found == known.end()) continue;
    out.add(need, {.piece = "",
                   .sums = std::vector<Sums>(rules.needs[need].windows.size(), found->second),
                   .said_known = true});
  }
  return out;
}

Sums sums(std::uint64_t mass, std::uint64_t spam, std::uint64_t complaint = 0) {
  Sums out;
  out.of(Measure::kMass) = mass;
  out.of(Measure::kSpam) = spam;
  out.of(Measure::kComplaint) = complaint;
  return out;
}

// "If more than 99 % of at least 100 messages of this shingle (type 14) were spam, add 1.5; add up
// all rules, and what reaches 100 is spam."
TEST(ShippedRules, SmallSignsAddUpToAHundred) {
  const auto loaded =
      shipped_with("policy-shingler.yaml", {"milter.actions={reject: 100, add_header: 50}"});
  ASSERT_NE(loaded.settings, nullptr);
  const auto rules = policy_rules(*loaded.settings).rules;
  ASSERT_NE(rules, nullptr);
  const auto score_of = [&](const std::vector<std::pair<PieceType, Sums>>& known) {
    const auto counters = readings(*rules, known);
    const std::vector<Truth> symbols(rules->symbols.size(), Truth::kFalse);
    Evaluation evaluation(*rules);
    const features::FeatureValues nothing;
    evaluate(*rules, {nothing, counters, symbols}, evaluation);
    return effect_of(*rules, evaluation).score;
  };
  const auto action_of = [&](double score) {
    return rules::choose_action(score, loaded.settings->milter.actions);
  };
  using enum PieceType;
  // 98 of 100 is not 99 %; 99 of 99 are not 100 messages.
  EXPECT_DOUBLE_EQ(score_of({{kFrom, sums(100, 98)}}), 1.5) << "more than half of it";
  EXPECT_DOUBLE_EQ(score_of({{kFrom, sums(99, 99)}}), 0);
  EXPECT_DOUBLE_EQ(score_of({{kFrom, sums(100, 99)}}), 3) << "and the rule of the 14th shingle";

  // SENDER_SPAMMY 1.5, SENDER_DOUBTFUL 1.5, DOMAIN_SPAMMY 1.5, ENVELOPE_SPAMMY 1.5, CLIENT_SPAMMY
  // 10, SUBJECT_SPAMMY 10, LINK_SPAMMY 15, FILE_SPAMMY 25: 66.
  std::vector<std::pair<PieceType, Sums>> known = {
      {kFrom, sums(5000, 5000)},      {kFromDomain, sums(5000, 5000)},
      {kSender, sums(5000, 5000)},    {kClient, sums(5000, 5000)},
      {kSubject, sums(900, 900)},     {kLinkDomain, sums(5000, 5000)},
      {kAttachment, sums(5000, 5000)}};
  EXPECT_DOUBLE_EQ(score_of(known), 66);
  EXPECT_EQ(action_of(score_of(known)), rules::Action::kAddHeader);
  // LINK_COMPLAINED: 15 of 5000 are 0.3 %, but of one person. 96 is below 100.
  known[5].second = sums(5000, 5000, 15);
  known[5].second.of(Measure::kComplainers) = 2;
  EXPECT_DOUBLE_EQ(score_of(known), 66);
  known[5].second.of(Measure::kComplainers) = 3;
  EXPECT_DOUBLE_EQ(score_of(known), 96);
  EXPECT_EQ(action_of(score_of(known)), rules::Action::kAddHeader);
  // TEXT_SPAMMY 25: over 100 is spam.
  known.emplace_back(kRobustText, sums(10, 10));
  EXPECT_DOUBLE_EQ(score_of(known), 121);
  EXPECT_EQ(action_of(score_of(known)), rules::Action::kReject);
}

/// What the rules that are live from the beginning say, with the settings as they are installed.
class ShippedMarks : public ::testing::Test {
 protected:
  static Sums said(Measure measure, std::uint64_t count, std::uint64_t recipients = 1) {
    Sums out;
    out.of(measure) = count;
    out.recipients = recipients;
    return out;
  }
  void SetUp() override {
    loaded_ = shipped_with("policy.yaml");
    ASSERT_NE(loaded_.settings, nullptr);
    rules_ = policy_rules(*loaded_.settings).rules;
    ASSERT_NE(rules_, nullptr);
  }
  PolicyEffect effect(const std::vector<std::pair<PieceType, Sums>>& known) const {
    const auto counters = readings(*rules_, known);
    const std::vector<Truth> symbols(rules_->symbols.size(), Truth::kFalse);
    Evaluation evaluation(*rules_);
    const features::FeatureValues nothing;
    evaluate(*rules_, {nothing, counters, symbols}, evaluation);
    return effect_of(*rules_, evaluation);
  }
  bool is_marked(const std::vector<std::pair<PieceType, Sums>>& known) const {
    return effect(known).action == rules::Action::kAddHeader;
  }

  config::Loaded loaded_;
  std::shared_ptr<const CompiledRules> rules_;
};

using enum PieceType;
using enum Measure;

TEST_F(ShippedMarks, MarkWhatTheRecipientReportedHimself) {
  for (const PieceType text :
       {kText, kRobustText, kShortText, kPhrase, kHiddenPhrase, kNotice, kAttachment})
    EXPECT_TRUE(is_marked({{text, said(kOwnComplaint, 1)}})) << to_string(text);
  // One sign of another kind is not enough; two are.
  for (const PieceType sign : {kSubject, kDisplayName, kForeignHost, kStructure, kPhone})
    EXPECT_FALSE(is_marked({{sign, said(kOwnComplaint, 1)}})) << to_string(sign);
  EXPECT_TRUE(
      is_marked({{kForeignHost, said(kOwnComplaint, 1)}, {kSubject, said(kOwnComplaint, 1)}}));
  EXPECT_FALSE(
      is_marked({{kForeignHost, said(kOwnComplaint, 1)}, {kLinkShape, said(kOwnComplaint, 1)}}))
      << "both come from the same link";
}

TEST_F(ShippedMarks, AskThatAllRecipientsReportedIt) {
  EXPECT_FALSE(is_marked({{kPhrase, said(kOwnComplaint, 1, 2)}}));
  EXPECT_TRUE(is_marked({{kPhrase, said(kOwnComplaint, 2, 2)}}));
}

TEST_F(ShippedMarks, MarkForEverybodyWhenTwoPeopleReportedTheText) {
  EXPECT_FALSE(is_marked({{kPhrase, said(kComplainers, 1)}}));
  EXPECT_TRUE(is_marked({{kPhrase, said(kComplainers, 2)}}));
  for (const PieceType text : {kText, kRobustText, kShortText, kAttachment, kHiddenPhrase})
    EXPECT_TRUE(is_marked({{text, said(kComplainers, 2)}})) << to_string(text);
  EXPECT_FALSE(is_marked({{kPhone, said(kComplainers, 9)}})) << "a telephone number is no text";
  EXPECT_FALSE(is_marked({{kForeignHost, said(kComplainers, 9)}, {kNotice, said(kComplainers, 9)}}))
      << "signs of other kinds are in shadow";
  Sums disputed = said(kComplainers, 2);
  disputed.of(kRescuers) = 1;
  EXPECT_FALSE(is_marked({{kPhrase, disputed}}));
}

TEST_F(ShippedMarks, DoNotMarkForOnesOwnNoticeThatMuchWantedMailHas) {
  Sums common = said(kOwnComplaint, 1);
  common.of(kHam) = 20;
  EXPECT_FALSE(is_marked({{kNotice, common}}));
}

TEST_F(ShippedMarks, MarkTheSubjectOfAWaveButNotTheNextIssueOfOneSender) {
  const std::pair subject{kSubject, said(kComplainers, 2)};
  EXPECT_FALSE(is_marked({subject, {kClaimedFrom, Sums()}}));
  for (const PieceType sign : {kDisplayName, kNotice, kForeignHost}) {
    const std::pair other{sign, said(kComplainers, 2)};
    for (const PieceType from : {kFrom, kClaimedFrom}) {
      EXPECT_TRUE(is_marked({subject, other, {from, Sums()}})) << to_string(sign);
      EXPECT_FALSE(is_marked({subject, other, {from, said(kComplainers, 1)}})) << to_string(sign);
    }
  }
  EXPECT_FALSE(
      is_marked({{kDisplayName, said(kComplainers, 9)}, {kNotice, said(kComplainers, 9)}}));
}

TEST_F(ShippedMarks, AddNothingToAScoreThatCouldReject) {
  Sums all = said(kComplainers, 1000);
  all.of(kOwnComplaint) = 1;
  std::vector<std::pair<PieceType, Sums>> known;
  for (const CounterNeed& need : rules_->needs) known.emplace_back(need.type, all);
  EXPECT_TRUE(is_marked(known));
  EXPECT_EQ(effect(known).score, 0);
}

TEST_F(ShippedMarks, TakeAMarkBackForWhoSaysThatItIsWanted) {
  Sums marked = said(kComplainers, 4);
  marked.of(kOwnRescue) = 1;
  EXPECT_FALSE(is_marked({{kPhrase, marked}}));
  EXPECT_LT(effect({{kPhrase, marked}}).score, 0) << "against hashes that others taught";
}

}  // namespace
}  // namespace shingled::milter::policy
