#include "milter/policy/explain.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/milter/policy/policy_world.h"

namespace shingled::milter::policy {
namespace {

using enum storage::counters::Measure;
using testing::amounts;
using testing::rule;
using testing::World;
using Texts = std::vector<std::string>;

TEST(Explain, NamesTheNumbersThatDecided) {
  World w({rule("SENDER_SPAMMY", "from.spam >= 99% of 100 in 14d", 1.5)});
  w.piece(PieceType::kFrom, "a@x", {{"14d", amounts({{kSpam, 187}, {kMass, 188}})}});
  EXPECT_EQ(w.explained("SENDER_SPAMMY"),
            "SENDER_SPAMMY +1.50: from.spam 187 of 188 (99.5 %) in 14d; rule: 99% of 100");
}

TEST(Explain, NamesScoreActionAndShadow) {
  std::vector<Rule> rules = {rule("A", "local", -2), rule("B", "local", std::nullopt)};
  rules[0].shadow = true;
  rules[1].action = rules::Action::kTempfail;
  World w(rules);
  w.features.set_yes(Feature::kLocal, true);
  EXPECT_EQ(w.explained("A"), "A -2.00 (shadow): local");
  EXPECT_EQ(w.explained("B"), "B tempfail: local");
}

TEST(Explain, NamesTheStrongestOfSeveralValues) {
  World w({rule("A", "link_domain.complaint >= 0.3% of 1000 in 1d"),
           rule("B", "link_domain.mass < 5000 in 1d")});
  for (const auto& [name, complaints, mass] :
       {std::tuple("a.example", 4, 1000), {"b.example", 9, 2000}, {"c.example", 12, 3000}})
    w.piece(PieceType::kLinkDomain, name,
            {{"1d", amounts({{kComplaint, static_cast<std::uint64_t>(complaints)},
                             {kMass, static_cast<std::uint64_t>(mass)}})}});
  EXPECT_EQ(w.explained("A"),
            "A +1.00: link_domain.complaint 9 of 2000 (0.45 %) in 1d [b.example]; rule: 0.3% of "
            "1000");
  EXPECT_EQ(w.explained("B"), "B +1.00: link_domain.mass 1000 in 1d [a.example]; rule: < 5000");
}

TEST(Explain, NamesTheUsual) {
  World w({rule("A", "user.mass >= 10x usual in 1h and user.mass >= 200 in 1h", 1)});
  w.days(PieceType::kUser, "anna", "1h", 250, {480, 240});
  EXPECT_EQ(w.explained("A"),
            "A +1.00: user.mass 250 in 1h (usual 15.0); rule: 10x usual, user.mass 250 in 1h; "
            "rule: 200");
}

TEST(Explain, NamesOnlyWhatDecided) {
  World w({rule("A", "(html or bounce) and not local and hour < 6 and spf = fail and dkim != pass"),
           rule("B", "A and (FUZZY_PROB or FUZZY_DENIED)")},
          {.symbols = {"FUZZY_PROB", "FUZZY_DENIED"}});
  w.features.set_yes(Feature::kHtml, false);
  w.features.set_yes(Feature::kBounce, true);
  w.features.set_yes(Feature::kLocal, false);
  w.features.set_number(Feature::kHour, 3);
  w.features.set_word(Feature::kSpf, "fail");
  w.features.set_word(Feature::kDkim, "none");
  w.symbol("FUZZY_DENIED", Truth::kTrue);
  EXPECT_EQ(w.explained("A"),
            "A +1.00: bounce, not local, hour 3; rule: < 6, spf fail, dkim none; rule: != pass");
  EXPECT_EQ(w.explained("B"), "B +1.00: A, FUZZY_DENIED");
  w.features.set_yes(Feature::kLocal, true);
  EXPECT_EQ(w.explained("A"), "A +1.00: local");
  EXPECT_EQ(w.explained("B"), "B +1.00: not A");
}

TEST(Explain, SaysWhatIsUnknown) {
  World w({rule("A", "from.mass >= 5 in 1d"), rule("B", "local"), rule("C", "FUZZY_PROB"),
           rule("D", "user.mass >= 10x usual in 1h")},
          {.symbols = {"FUZZY_PROB"}});
  w.unknown_piece(PieceType::kFrom, "a@x").symbol("FUZZY_PROB", Truth::kUnknown);
  w.days(PieceType::kUser, "anna", "1h", 250, {});
  EXPECT_EQ(w.explained("A"), "A +1.00: from.mass unknown in 1d; rule: 5");
  EXPECT_EQ(w.explained("B"), "B +1.00: local unknown");
  EXPECT_EQ(w.explained("C"), "C +1.00: FUZZY_PROB unknown");
  EXPECT_EQ(w.explained("D"), "D +1.00: user.mass unknown in 1h (new today); rule: 10x usual");
}

TEST(Explain, CutsLongPieces) {
  World w({rule("A", "link.mass >= 1")});
  w.piece(PieceType::kLink, std::string(5000, 'a'), {{"1d", amounts({{kMass, 1}})}});
  EXPECT_EQ(w.explained("A"), "A +1.00: link.mass 1 in 1d [" + std::string(60, 'a') + "]; rule: 1");
}

TEST(NearMisses, AreRulesThatMissOneThing) {
  World w(
      {rule("SPAMMY", "from.spam >= 99% of 100 in 14d"), rule("FAR", "from.mass >= 1000 in 14d"),
       rule("ONE", "from.mass >= 150 in 14d and not local"),
       rule("TWO", "from.mass >= 150 in 14d and local"),
       rule("BOTH", "from.mass >= 150 in 14d and from.mass >= 160 in 14d"),
       rule("EITHER", "from.mass >= 150 in 14d or from.mass >= 1000 in 14d"),
       rule("LESS", "from.mass < 60 in 14d"), rule("FIRES", "from.mass >= 50 in 14d"),
       rule("NEGATED", "not from.mass >= 60 in 14d"),
       rule("NEGATED_FAR", "not from.mass >= 40 in 14d"), rule("NO_USER", "user.mass >= 5 in 1d"),
       rule("AWAY", "link_domain.mass >= 5 in 1d"), rule("ASKED", "FUZZY_PROB and html")},
      {.symbols = {"FUZZY_PROB"}});
  w.piece(PieceType::kFrom, "a@x", {{"14d", amounts({{kSpam, 97}, {kMass, 100}})}});
  w.unknown_piece(PieceType::kLinkDomain, "a.example").symbol("FUZZY_PROB", Truth::kUnknown);
  w.features.set_yes(Feature::kLocal, false);
  w.features.set_yes(Feature::kHtml, true);
  EXPECT_EQ(
      w.near(),
      (Texts{"SPAMMY: from.spam 97 of 100 (97.0 %) in 14d; rule: 99% of 100",
             "ONE: from.mass 100 in 14d; rule: 150", "EITHER: from.mass 100 in 14d; rule: 150",
             "LESS: from.mass 100 in 14d; rule: < 60", "NEGATED: from.mass 100 in 14d; rule: 60",
             "AWAY: link_domain.mass unknown in 1d; rule: 5", "ASKED: FUZZY_PROB unknown"}));
}

}  // namespace
}  // namespace shingled::milter::policy
