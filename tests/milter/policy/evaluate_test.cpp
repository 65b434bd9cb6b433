// Covers milter/policy/evaluate.cpp, milter/policy/compile_rules.cpp and
// milter/policy/atom_code.cpp with the rules that the design of the policy names. Laws are in
// evaluate_law_test.cpp.
#include "milter/policy/evaluate.h"

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

std::vector<Rule> the_twelve() {
  std::vector<Rule> rules = {
      rule("SENDER_SPAMMY", "from.spam >= 99% of 100 in 14d", 1.5),
      rule("LINK_COMPLAINED", "link_domain.complaint >= 0.3% of 1000 in 1d", 3),
      rule("LINK_RESCUED", "link_domain.rescue >= 50% of 20 in 14d", -3),
      rule("SUBJECT_FLOOD", "subject.mass >= 1000 in 10m and not local", 2),
      rule("USER_SPRAYS", "user.unique_recipients >= 500 in 1d", std::nullopt),
      rule("USER_SPIKE", "user.mass >= 10x usual in 1h and user.mass >= 200 in 1h", std::nullopt),
      rule("FILE_FROM_MANY", "attachment.unique_senders >= 20 in 1h", 4),
      rule("FIRST_CONTACT", "sender_recipient.mass = 0 in 14d and sender.mass < 3 in 14d", 0.5),
      rule("WELL_KNOWN", "sender_recipient.ham >= 5 in 14d and sender_recipient.spam = 0 in 14d",
           -2),
      rule("OUR_TEMPLATE", "stored_hash.ham >= 90% of 20 in 14d", -10),
      rule("MANY_REPORTERS", "stored_hash.unique_reporters >= 5 in 1d", 5),
      rule("SPRAY_AND_FUZZY", "SENDER_SPAMMY and (FUZZY_PROB or SUBJECT_FLOOD)", 4),
  };
  rules[4].action = rules::Action::kTempfail;
  rules[5].action = rules::Action::kQuarantine;
  return rules;
}

World world() { return World(the_twelve(), {.symbols = {"FUZZY_PROB"}}); }

TEST(TheTwelve, NothingFiresWhenNothingIsKnown) {
  World w = world();
  evaluate(w.rules, w.facts(), w.evaluation);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_FALSE(w.evaluation.fires(i)) << w.rules.rules[i].name;
  EXPECT_EQ(effect_of(w.rules, w.evaluation), PolicyEffect{});
}

TEST(TheTwelve, SenderSpammy) {
  const auto at = [](std::uint64_t spam, std::uint64_t mass) {
    return world()
        .piece(PieceType::kFrom, "a@x", {{"14d", amounts({{kSpam, spam}, {kMass, mass}})}})
        .of("SENDER_SPAMMY");
  };
  EXPECT_EQ(at(187, 188), Truth::kTrue);
  EXPECT_EQ(at(99, 100), Truth::kTrue);
  EXPECT_EQ(at(98, 100), Truth::kFalse);
  EXPECT_EQ(at(99, 99), Truth::kFalse);
  EXPECT_EQ(at(0, 0), Truth::kFalse);
}

TEST(TheTwelve, LinkComplained) {
  World w = world();
  w.piece(PieceType::kLinkDomain, "good.example",
          {{"1d", amounts({{kComplaint, 2}, {kMass, 1000}})}});
  EXPECT_EQ(w.of("LINK_COMPLAINED"), Truth::kFalse);
  w.unknown_piece(PieceType::kLinkDomain, "away.example");
  EXPECT_EQ(w.of("LINK_COMPLAINED"), Truth::kUnknown);
  w.piece(PieceType::kLinkDomain, "bad.example",
          {{"1d", amounts({{kComplaint, 3}, {kMass, 1000}})}});
  EXPECT_EQ(w.of("LINK_COMPLAINED"), Truth::kTrue);
}

TEST(TheTwelve, LinkRescued) {
  World w = world();
  w.piece(PieceType::kLinkDomain, "a.example", {{"14d", amounts({{kRescue, 9}, {kSpam, 19}})}});
  EXPECT_FALSE(w.fires("LINK_RESCUED"));
  w.piece(PieceType::kLinkDomain, "b.example", {{"14d", amounts({{kRescue, 10}, {kSpam, 20}})}});
  EXPECT_TRUE(w.fires("LINK_RESCUED"));
  EXPECT_EQ(effect_of(w.rules, w.evaluation).score, -3);
}

TEST(TheTwelve, SubjectFlood) {
  World w = world();
  w.piece(PieceType::kSubject, "buy", {{"10m", amounts({{kMass, 1000}})}});
  EXPECT_EQ(w.of("SUBJECT_FLOOD"), Truth::kUnknown);  // local or not?
  w.features.set_yes(Feature::kLocal, true);
  EXPECT_EQ(w.of("SUBJECT_FLOOD"), Truth::kFalse);
  w.features.set_yes(Feature::kLocal, false);
  EXPECT_EQ(w.of("SUBJECT_FLOOD"), Truth::kTrue);
}

TEST(TheTwelve, UserSprays) {
  World w = world();
  w.piece(PieceType::kUniqueUserRecipients, "anna", {{"1d", amounts({{kMass, 500}})}});
  EXPECT_TRUE(w.fires("USER_SPRAYS"));
  EXPECT_EQ(effect_of(w.rules, w.evaluation), (PolicyEffect{0, rules::Action::kTempfail}));
}

TEST(TheTwelve, UserSpike) {
  const auto at = [](std::uint64_t now, std::initializer_list<std::uint64_t> days) {
    return world().days(PieceType::kUser, "anna", "1h", now, days).of("USER_SPIKE");
  };
  // 480 a day are 20 an hour.
  EXPECT_EQ(at(200, {480, 480}), Truth::kTrue);
  EXPECT_EQ(at(199, {0, 24}), Truth::kFalse);
  EXPECT_EQ(at(200, {480, 481}), Truth::kFalse);
  // Two days without mail count, the days before the first mail do not.
  EXPECT_EQ(at(200, {0, 0, 1440}), Truth::kTrue);
  EXPECT_EQ(at(200, {0, 0, 1441}), Truth::kFalse);
  EXPECT_EQ(at(200, {480, 480, 480, 480, 480, 480, 480, 480, 480, 480, 480, 480, 480, 480}),
            Truth::kTrue);
  // Nobody knows what is usual for a user who is new today.
  EXPECT_EQ(at(5000, {}), Truth::kUnknown);
  EXPECT_EQ(at(199, {}), Truth::kFalse);
}

TEST(TheTwelve, FileFromMany) {
  World w = world();
  w.piece(PieceType::kUniqueAttachmentSenders, "a.pdf", {{"1h", amounts({{kMass, 1}})}});
  EXPECT_FALSE(w.fires("FILE_FROM_MANY"));
  w.piece(PieceType::kUniqueAttachmentSenders, "b.exe", {{"1h", amounts({{kMass, 20}})}});
  EXPECT_TRUE(w.fires("FILE_FROM_MANY"));
}

TEST(TheTwelve, FirstContact) {
  World w = world();
  w.piece(PieceType::kSender, "a@x", {{"14d", amounts({{kMass, 2}})}});
  EXPECT_EQ(w.of("FIRST_CONTACT"), Truth::kUnknown);
  w.piece(PieceType::kSenderRecipient, "a@x b@y", {{"14d", amounts({{kMass, 1}})}});
  EXPECT_EQ(w.of("FIRST_CONTACT"), Truth::kFalse);
  w.piece(PieceType::kSenderRecipient, "a@x c@y", {{"14d", {}}});
  EXPECT_EQ(w.of("FIRST_CONTACT"), Truth::kTrue);
}

TEST(TheTwelve, WellKnown) {
  World w = world();
  w.unknown_piece(PieceType::kSenderRecipient, "a@x b@y");
  EXPECT_EQ(w.of("WELL_KNOWN"), Truth::kUnknown);
  w.piece(PieceType::kSenderRecipient, "a@x c@y", {{"14d", amounts({{kMass, 5}, {kHam, 5}})}});
  EXPECT_EQ(w.of("WELL_KNOWN"), Truth::kTrue);
}

TEST(TheTwelve, OurTemplateAndManyReporters) {
  World w = world();
  w.piece(PieceType::kStoredHash, "", {{"14d", amounts({{kHam, 18}, {kMass, 20}})}});
  w.piece(PieceType::kUniqueReporters, "", {{"1d", amounts({{kMass, 5}})}});
  EXPECT_TRUE(w.fires("OUR_TEMPLATE"));
  EXPECT_TRUE(w.fires("MANY_REPORTERS"));
  EXPECT_EQ(effect_of(w.rules, w.evaluation).score, -5);
}

TEST(TheTwelve, SprayAndFuzzy) {
  World w = world();
  w.piece(PieceType::kFrom, "a@x", {{"14d", amounts({{kSpam, 188}, {kMass, 188}})}});
  EXPECT_EQ(w.of("SPRAY_AND_FUZZY"), Truth::kUnknown);  // no subject
  w.piece(PieceType::kSubject, "buy", {{"10m", {}}});
  EXPECT_EQ(w.of("SPRAY_AND_FUZZY"), Truth::kFalse);
  w.symbol("FUZZY_PROB", Truth::kUnknown);
  EXPECT_EQ(w.of("SPRAY_AND_FUZZY"), Truth::kUnknown);
  w.symbol("FUZZY_PROB", Truth::kTrue);
  EXPECT_EQ(w.of("SPRAY_AND_FUZZY"), Truth::kTrue);
  EXPECT_EQ(effect_of(w.rules, w.evaluation).score, 5.5);
}

TEST(CompileRules, AsksForWhatTheRulesNeedAndNoMore) {
  std::vector<Rule> rules = the_twelve();
  rules.push_back(rule("OFF", "helo.mass >= 5"));
  rules.back().enabled = false;
  const CompiledRules compiled =
      testing::compiled(std::move(rules), {.symbols = {"FUZZY_PROB", "B"}});
  std::string needs;
  for (const CounterNeed& need : compiled.needs) {
    needs += std::string(to_string(need.type)) + ':';
    for (const Window& window : need.windows)
      needs += ' ' + storage::counters::to_string(window) +
               (window.skipped > 0 ? "-" + std::to_string(window.skipped) : "");
    needs += '\n';
  }
  EXPECT_EQ(needs,
            "subject: 10m\nsender: 14d\nfrom: 14d\n"
            "user: 1h 1d-1 1d-2 1d-3 1d-4 1d-5 1d-6 1d-7 1d-8 1d-9 1d-10 1d-11 1d-12 1d-13 1d-14\n"
            "sender_recipient: 14d\nunique_user_recipients: 1d\nlink_domain: 1d 14d\n"
            "unique_attachment_senders: 1h\nstored_hash: 14d\nunique_reporters: 1d\n");
  EXPECT_EQ(compiled.symbols, std::vector<std::string>{"FUZZY_PROB"});
}

TEST(CompileRules, ComparesOnceWhatManyRulesCompare) {
  const CompiledRules compiled = testing::compiled({rule("A", "from.mass >= 5 in 1d and local"),
                                                    rule("B", "from.mass >= 5 and not (local)"),
                                                    rule("C", "local = yes or html")});
  EXPECT_EQ(compiled.atoms.size(), 3U);
}

TEST(CompileRules, RefusesRulesWithAnError) {
  const auto result = compile_rules({rule("A", "local"), rule("B", "lokal")}, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kInvalid);
  EXPECT_EQ(result.error().message, "B: unknown symbol 'lokal'; did you mean 'local'?");
}

TEST(Evaluate, RulesSeeEachOtherInAnyOrder) {
  World w({rule("A", "not B"), rule("B", "C and html"), rule("C", "local")});
  w.features.set_yes(Feature::kLocal, true);
  w.features.set_yes(Feature::kHtml, false);
  EXPECT_EQ(w.of("A"), Truth::kTrue);
  EXPECT_EQ(w.of("C"), Truth::kTrue);
  w.features.set_yes(Feature::kHtml, true);
  EXPECT_EQ(w.of("A"), Truth::kFalse);
}

TEST(Evaluate, ARuleThatIsNotEnabledIsUnknown) {
  std::vector<Rule> rules = {rule("A", "not OFF"), rule("B", "OFF or local"), rule("OFF", "html")};
  rules[2].enabled = false;
  World w(rules);
  w.features.set_yes(Feature::kLocal, true);
  w.features.set_yes(Feature::kHtml, true);
  EXPECT_EQ(w.of("A"), Truth::kUnknown);
  EXPECT_EQ(w.of("B"), Truth::kTrue);
  EXPECT_EQ(w.of("OFF"), Truth::kUnknown);
}

TEST(Evaluate, AShadowRuleFiresWithoutEffect) {
  std::vector<Rule> rules = {rule("A", "local", 3), rule("B", "A", 1)};
  rules[0].shadow = true;
  rules[0].action = rules::Action::kReject;
  World w(rules);
  w.features.set_yes(Feature::kLocal, true);
  EXPECT_TRUE(w.fires("A"));
  EXPECT_EQ(effect_of(w.rules, w.evaluation), (PolicyEffect{1, rules::Action::kPass}));
}

TEST(Evaluate, TheStrongestActionWins) {
  using enum rules::Action;
  std::vector<Rule> rules;
  for (const rules::Action action : {kQuarantine, kAddHeader, kDiscard, kTempfail, kReject}) {
    rules.push_back(rule("A" + std::to_string(rules.size()), "local", std::nullopt));
    rules.back().action = action;
  }
  World w(rules);
  w.features.set_yes(Feature::kLocal, true);
  EXPECT_TRUE(w.fires("A0"));
  EXPECT_EQ(effect_of(w.rules, w.evaluation).action, kDiscard);
}

TEST(Evaluate, ComparesFeatures) {
  struct Case {
    const char* text;
    bool holds;
  };
  for (const Case& test :
       {Case{"bytes >= 10M", true}, Case{"bytes > 10M", false}, Case{"bytes <= 10485760", true},
        Case{"bytes < 10M", false}, Case{"bytes = 10240K", true}, Case{"bytes != 10M", false},
        Case{"spf = fail", true}, Case{"spf != fail", false}, Case{"spf != pass", true},
        Case{"html", true}, Case{"html = no", false}, Case{"html != no", true},
        Case{"local = no", true}}) {
    World w({rule("A", test.text)});
    w.features.set_number(Feature::kBytes, 10 << 20);
    w.features.set_word(Feature::kSpf, "fail");
    w.features.set_yes(Feature::kHtml, true);
    w.features.set_yes(Feature::kLocal, false);
    EXPECT_EQ(w.fires("A"), test.holds) << test.text;
  }
}

TEST(Evaluate, IsExactWithTheLargestNumbers) {
  constexpr std::uint64_t kMost = storage::counters::kCountMax;
  World w({rule("A", "from.spam >= 100% of 9000000000000 in 1d"),
           rule("B", "from.spam >= 99.999999% of 1 in 1d and from.mass > 8000000000000 in 1d"),
           rule("C", "user.mass > 1000000x usual in 14d"), rule("D", "from.bytes >= 4000000T")});
  w.piece(PieceType::kFrom, "",
          {{"1d", amounts({{kSpam, kMost - 1}, {kMass, kMost}, {kBytes, kMost}})}});
  w.days(PieceType::kUser, "", "14d", kMost, {kMost, kMost, kMost});
  EXPECT_FALSE(w.fires("A"));
  EXPECT_TRUE(w.fires("B"));
  EXPECT_FALSE(w.fires("C"));
  EXPECT_TRUE(w.fires("D"));
}

TEST(Evaluate, AReadingWithTooFewWindowsIsUnknown) {
  World w({rule("A", "from.mass >= 0 in 1d or from.mass >= 0 in 14d")});
  w.counters.add(0, {"a@x", {Sums{}}});
  EXPECT_EQ(w.of("A"), Truth::kTrue);
  World all({rule("A", "from.mass >= 0 in 1d and from.mass >= 0 in 14d")});
  all.counters.add(0, {"a@x", {Sums{}}});
  EXPECT_EQ(all.of("A"), Truth::kUnknown);
}

}  // namespace
}  // namespace shingled::milter::policy
