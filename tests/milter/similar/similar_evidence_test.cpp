#include "milter/similar/similar_evidence.h"

#include <gmock/gmock.h>

#include "milter/rules/verdict.h"

namespace shingled::milter::similar {
namespace {

SimilarHit hit(std::size_t piece, const std::string& list, int score) {
  SimilarHit out;
  out.piece = piece;
  out.list = list;
  out.sample = "sample of " + list;
  out.score = score;
  return out;
}

std::vector<SimilarList> lists() {
  const auto list = [](const char* name, double score, bool good) {
    SimilarList out;
    out.name = name;
    out.symbol = std::string("S_") + name;
    out.score = score;
    out.good = good;
    return out;
  };
  return {list("bad", 8, false), list("worse", 20, false), list("good", -2, true)};
}

TEST(SimilarScore, WeighsByLikeness) {
  SimilarFacts facts;
  facts.hits = {hit(0, "bad", 50), hit(1, "bad", 90), hit(1, "worse", 40),
                hit(2, "of no list", 99)};
  const auto shares = weigh_similar(facts, lists());
  ASSERT_EQ(shares.size(), 3U);
  EXPECT_DOUBLE_EQ(shares[0].score, 4);
  EXPECT_DOUBLE_EQ(shares[1].score, 7.2);
  EXPECT_EQ(shares[1].arithmetic(facts.hits[1]), "0.90 (similarity 90) x 8.00 = 7.20");
  std::vector<rules::Symbol> symbols = {{"S_worse", 9, 1}};
  rules::add_symbols(similar_findings(facts, lists(), {}).evidence, symbols);
  EXPECT_EQ(symbols, (std::vector<rules::Symbol>{{"S_worse", 9, 2}, {"S_bad", 7.2, 2}}))
      << "only the strongest hit counts";
}

TEST(SimilarScore, AKnownGoodFileSparesItsPiece) {
  struct Case {
    std::string_view why;
    int bad;
    int good;
    std::size_t good_piece;
    bool spared;
  };
  for (const auto& [why, bad, good, good_piece, spared] :
       {Case{"more similar to the good file", 80, 90, 0, true},
        Case{"equally similar", 80, 80, 0, true},
        Case{"more similar to the bad file", 80, 79, 0, false},
        Case{"another piece", 80, 100, 1, false}}) {
    SimilarFacts facts;
    facts.hits = {hit(0, "bad", bad), hit(good_piece, "good", good)};
    const auto shares = weigh_similar(facts, lists());
    ASSERT_EQ(shares.size(), 2U);
    EXPECT_EQ(shares[0].spared, spared) << why;
    EXPECT_EQ(shares[0].score == 0, spared) << why;
    EXPECT_LT(shares[1].score, 0) << why << ": a good list has its own weight";
  }
}

TEST(SimilarScore, CountsInTheVerdict) {
  SimilarFacts files;
  files.hits = {hit(0, "worse", 60)};
  files.notes = {"time limit reached"};
  rules::Facts facts;
  facts.findings = {similar_findings(files, lists(), {})};
  const rules::Verdict verdict = rules::judge(facts, {}, FailurePolicy::kTempfail);
  EXPECT_EQ(verdict.action, rules::Action::kReject);
  EXPECT_DOUBLE_EQ(verdict.score, 12);
  EXPECT_FALSE(verdict.failed) << "a note is not a failure";
}

TEST(SimilarEvidence, DescribesAHitInEachForm) {
  SimilarFacts files;
  files.hits = {hit(0, "bad", 93), hit(0, "good", 95)};
  for (SimilarHit& of : files.hits) {
    of.part = "2";
    of.file = "setup.zip";
    of.sample_id = 7;
  }
  const rules::Findings findings = similar_findings(files, lists(), {});
  ASSERT_EQ(findings.evidence.size(), 2U);
  EXPECT_EQ(findings.evidence[0].part, "2");
  EXPECT_EQ(findings.evidence[0].effect, rules::Evidence::Effect::kSpared);
  EXPECT_EQ(findings.evidence[0].explanation().log,
            "S_bad:spared:similarity 93:bad/sample of bad:setup.zip");
  const rules::Explanation good = findings.evidence[1].explanation();
  EXPECT_EQ(good.log, "S_good:-1.90:similarity 95:good/sample of good:setup.zip");
  EXPECT_EQ(good.header, "S_good; similarity 95 to sample of good of good in setup.zip");
  EXPECT_EQ(good.arithmetic, "0.95 (similarity 95) x -2.00 = -1.90");
  EXPECT_EQ(good.rows.back().second, "shingled similar del --id 7");
}

}  // namespace
}  // namespace shingled::milter::similar
