// Covers milter/model/columns.cpp and milter/model/model_evidence.cpp, too.
#include "milter/model/vector.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "milter/history/row_code.h"
#include "milter/model/model_evidence.h"
#include "tests/milter/history/judged.h"
#include "tests/milter/model/models.h"

namespace shingled::milter::model {
namespace {

using features::Sums;
using history::testing::Judged;
using history::testing::kSite;

/// A message with pieces of all kinds: several of a type, a pair, one that is not known.
Judged any_message() {
  Judged judged;
  judged.facts.features.set_number(features::Feature::kLinks, 3);
  judged.facts.features.set_word(features::Feature::kSpf, "fail");
  judged.facts.features.set_yes(features::Feature::kHtml, true);
  auto needs = features::union_of(
      needs_of_model(), {{PieceType::kSender, {{storage::counters::Period::Unit::kSlot, 12, 0}}}});
  judged.facts.counters.needs = std::make_shared<const features::CounterNeeds>(needs);
  std::mt19937 dice(3);
  for (const PieceType type :
       {PieceType::kSender, PieceType::kPhrase, PieceType::kPhrase, PieceType::kSenderRecipient,
        PieceType::kUniqueRecipients, PieceType::kLinkDomain}) {
    rules::PieceCounts counts;
    counts.piece = {type, "a" + std::to_string(dice()), is_pair(type) ? "b" : ""};
    counts.known = type != PieceType::kLinkDomain;
    counts.said_known = true;
    for (const Window& window : features::find_need(needs, type)->windows) {
      Sums sums;
      sums.of(Measure::kMass) = 1 + dice() % 1000;
      sums.of(Measure::kSpam) = dice() % (1 + sums.of(Measure::kMass));
      if (!is_pair(type) && !is_unique(type)) sums.of(Measure::kComplainers) = dice() % 9;
      if (window == history::kSaidWindow) sums.counted = {};
      if (counts.known) counts.sums.push_back(sums);
    }
    judged.facts.counters.pieces.push_back(std::move(counts));
  }
  rules::Findings findings;
  static constexpr rules::Source kOther{.key = "fuzzy", .title = "Hashes"};
  findings.source = &kOther;
  rules::Evidence evidence;
  evidence.symbol = "BULK";
  evidence.score = 2.35;
  findings.evidence = {evidence};
  judged.facts.findings = {findings};
  return judged;
}

bool same(const Vector& a, const Vector& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::isnan(a[i]) != std::isnan(b[i]) || (!std::isnan(a[i]) && a[i] != b[i])) {
      ADD_FAILURE() << columns()[i].name << ": " << a[i] << " and " << b[i];
      return false;
    }
  return a.size() == b.size();
}

TEST(Vector, OfAMessageIsThatOfItsRow) {
  Judged judged = any_message();
  const Vector live = vector_of(judged.facts);
  const ModelInForce in_force(testing::any_model(4), {}, true);
  judged.facts.findings.push_back(model_findings(in_force, {}, judged.facts));
  judged.verdict = rules::judge(judged.facts, {}, FailurePolicy::kAccept);
  EXPECT_NE(judged.verdict.score, 2.35) << "the model has its word in the row";
  history::MessageRecord record;
  ASSERT_TRUE(history::decode_record(history::row_of(judged.message(), kSite, 1).details, record));
  EXPECT_TRUE(same(live, vector_of(record)));
}

TEST(Vector, KnowsWhatIsKnown) {
  const Judged judged = any_message();
  const Vector vector = vector_of(judged.facts);
  const auto at = [&](const char* name) { return vector[find_column(name).value()]; };
  EXPECT_EQ(at("links"), 3);
  EXPECT_EQ(at("spf is fail"), 1);
  EXPECT_EQ(at("spf is pass"), 0);
  EXPECT_FLOAT_EQ(at("score"), 2.35F);
  EXPECT_TRUE(std::isnan(at("dkim is pass"))) << "nobody said anything of DKIM";
  EXPECT_TRUE(std::isnan(at("link_domain.mass in 14d"))) << "the counter did not answer";
  EXPECT_TRUE(std::isnan(at("user.mass in 14d"))) << "there is no user";
  EXPECT_GE(at("phrase.mass in 14d"), at("phrase.mass in 14d, least"));
  EXPECT_FALSE(std::isnan(at("phrase.complainers in 365d")));
}

TEST(Columns, HaveNamesOfTheirOwn) {
  for (std::size_t i = 0; i < columns().size(); ++i)
    EXPECT_EQ(find_column(columns()[i].name), i) << columns()[i].name;
  EXPECT_LT(columns().size(), 1000U);
  EXPECT_TRUE(is_suspect("mailer.mass in 14d"));
  EXPECT_TRUE(is_suspect("language is en"));
  EXPECT_TRUE(is_suspect("hour"));
  EXPECT_FALSE(is_suspect("phrase.mass in 14d"));
}

TEST(ModelEvidence, NeverStopsAMessageThatNobodyElseMarks) {
  const ActionOptions actions;  // marked from 4 on, rejected from 10 on
  EXPECT_EQ(most_of(0, 4, actions), 4);
  EXPECT_LT(3 + most_of(3, 100, actions), 10) << "it is marked at most";
  EXPECT_EQ(most_of(4, 100, actions), 100) << "others mark it";
}

TEST(ModelEvidence, TakesBackNoMark) {
  const ActionOptions actions;  // marked from 4 on
  EXPECT_EQ(least_of(3.9, 4, actions), -2);
  EXPECT_EQ(least_of(4, 4, actions), 0);
  EXPECT_EQ(least_of(5.5, 4, actions), -1.5);
  EXPECT_EQ(least_of(12, 4, actions), -2);
}

TEST(ModelEvidence, SpeaksForAMessageHalfAsMuchAtMost) {
  Model model = testing::any_model(4);
  model.base = -1000;
  const ModelInForce in_force(model, {}, true);
  const rules::ModelWord word = word_of(in_force, Vector(columns().size(), 1), 0, {});
  EXPECT_EQ(word.score, -2);
  double sum = 0;
  for (const auto& item : word.contributions) sum += item.score;
  EXPECT_EQ(sum, word.score);
}

TEST(ModelEvidence, SaysWhy) {
  Judged judged = any_message();
  ModelInForce in_force(testing::any_model(4), {}, false);
  const rules::Findings findings = model_findings(in_force, {}, judged.facts);
  ASSERT_EQ(findings.evidence.size(), 1U);
  EXPECT_EQ(findings.evidence[0].effect, rules::Evidence::Effect::kTried);
  ASSERT_NE(judged.facts.model, nullptr);
  double sum = 0;
  for (const auto& item : judged.facts.model->contributions) sum += item.score;
  EXPECT_EQ(sum, judged.facts.model->score);
  const std::string log = findings.evidence[0].explanation().log;
  EXPECT_TRUE(log.starts_with("MODEL ")) << log;
  EXPECT_NE(log.find(std::string(judged.facts.model->contributions[0].feature)), std::string::npos);
}

}  // namespace
}  // namespace shingled::milter::model
