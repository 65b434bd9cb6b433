#include "milter/rules/similar_score.h"

#include <gmock/gmock.h>

#include "milter/rules/verdict.h"

namespace shingled::milter::rules {
namespace {

similar::SimilarHit hit(std::size_t piece, const std::string& list, int score) {
  similar::SimilarHit out;
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
  similar::SimilarFacts facts;
  facts.hits = {hit(0, "bad", 50), hit(1, "bad", 90), hit(1, "worse", 40),
                hit(2, "of no list", 99)};
  const auto shares = weigh_similar(facts, lists());
  ASSERT_EQ(shares.size(), 3U);
  EXPECT_DOUBLE_EQ(shares[0].score, 4);
  EXPECT_DOUBLE_EQ(shares[1].score, 7.2);
  EXPECT_EQ(shares[1].arithmetic(facts.hits[1]), "0.90 (similarity 90) x 8.00 = 7.20");
  std::vector<Symbol> symbols = {{"S_worse", 9, 1}};
  add_similar(shares, symbols);
  EXPECT_EQ(symbols, (std::vector<Symbol>{{"S_worse", 9, 2}, {"S_bad", 7.2, 2}}))
      << "the strongest hit counts, and once";
}

TEST(SimilarScore, WhatIsKnownAsGoodSparesItsPiece) {
  struct Case {
    std::string_view why;
    int bad;
    int good;
    std::size_t good_piece;
    bool spared;
  };
  for (const auto& [why, bad, good, good_piece, spared] :
       {Case{"more like the good one", 80, 90, 0, true}, Case{"just as like", 80, 80, 0, true},
        Case{"more like the bad one", 80, 79, 0, false},
        Case{"another piece", 80, 100, 1, false}}) {
    similar::SimilarFacts facts;
    facts.hits = {hit(0, "bad", bad), hit(good_piece, "good", good)};
    const auto shares = weigh_similar(facts, lists());
    ASSERT_EQ(shares.size(), 2U);
    EXPECT_EQ(shares[0].spared, spared) << why;
    EXPECT_EQ(shares[0].score == 0, spared) << why;
    EXPECT_LT(shares[1].score, 0) << why << ": a good list has its own weight";
  }
}

TEST(SimilarScore, TheVerdictSums) {
  Facts facts;
  facts.similar.hits = {hit(0, "worse", 60)};
  facts.similar.notes = {"time limit reached"};
  const auto known = lists();
  const Verdict verdict = judge(facts, {}, {}, FailurePolicy::kTempfail, known);
  EXPECT_EQ(verdict.action, Action::kReject);
  EXPECT_DOUBLE_EQ(verdict.score, 12);
  EXPECT_FALSE(verdict.failed) << "a note is no failure";
}

}  // namespace
}  // namespace shingled::milter::rules
