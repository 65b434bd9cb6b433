#include "milter/reports/support.h"

#include <gtest/gtest.h>

#include "milter/rules/score.h"

namespace shingled::milter::reports {
namespace {

using storage::sqlite::ReportedHash;
using storage::sqlite::ReporterRow;
using storage::sqlite::ReportKind;
using storage::sqlite::Supporter;

const ReportedHash kSpamHash{.flag = 11, .per_spam = 1, .per_ham = -1};
const ReportedHash kWantedHash{.flag = 13, .per_spam = 0, .per_ham = 1};

/// How many people of each standing say something.
struct Crowd {
  std::uint64_t trusted = 0;
  std::uint64_t residents = 0;
  std::uint64_t newcomers = 0;
};

constexpr std::uint64_t kTrustedNames = 10;

ReportPolicy policy(std::uint32_t trusted_weight = 2) {
  ReportPolicy out{.trusted_weight = trusted_weight};
  for (std::uint64_t name = 1; name <= kTrustedNames; ++name) out.trusted.insert(name);
  return out;
}

std::vector<Supporter> people(const Crowd& spam, const Crowd& ham) {
  std::vector<Supporter> out;
  std::uint64_t trusted = 1;
  std::uint64_t other = kTrustedNames + 1;
  for (const auto& [crowd, kind] : {std::pair(spam, ReportKind::kSpam), {ham, ReportKind::kHam}}) {
    for (std::uint64_t i = 0; i < crowd.trusted; ++i) out.push_back({{.name = trusted++}, kind});
    for (std::uint64_t i = 0; i < crowd.residents; ++i)
      out.push_back({{.name = other++, .resident = true}, kind});
    for (std::uint64_t i = 0; i < crowd.newcomers; ++i) out.push_back({{.name = other++}, kind});
  }
  return out;
}

TEST(Support, ReputationGoesByWhatOthersSaid) {
  EXPECT_DOUBLE_EQ(reputation({}), 0.5);
  EXPECT_DOUBLE_EQ(reputation({.agreed = 8}), 0.9);
  EXPECT_DOUBLE_EQ(reputation({.disagreed = 8}), 0.1);
}

TEST(Support, WantedMailMakesAResidentAndAgreementNobody) {
  const ReportPolicy earned = policy();
  EXPECT_EQ(standing_of({.name = 1}, earned), Standing::kTrusted);
  EXPECT_EQ(standing_of({.name = 99, .resident = true}, earned), Standing::kResident);
  EXPECT_EQ(standing_of({.name = 99, .reports = 1000, .agreed = 1000}, earned),
            Standing::kNewcomer);
  ReportPolicy all = policy();
  all.all_reside = true;
  EXPECT_EQ(standing_of({.name = 99}, all), Standing::kResident);
}

/// What the law (support.h) makes of two sides: the weight of a hash of which each person is worth
/// 1, with the default settings: 3 gets a header, 6 and more reject.
TEST(Support, TheLawOfTwoSides) {
  struct Row {
    const char* why;
    Crowd spam;
    Crowd ham;
    std::int32_t weight;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"nobody", {}, {}, 0},
           {"one alone teaches nothing", {.residents = 1}, {}, 0},
           {"two mark", {.residents = 2}, {}, 3},
           {"three mark", {.residents = 3}, {}, 3},
           {"four do not reject, whatever else is in the message", {.residents = 4}, {}, 3},
           {"five reject", {.residents = 5}, {}, 6},
           {"each more makes it heavier", {.residents = 15}, {}, 16},
           {"up to four times as many", {.residents = 105}, {}, 21},
           {"people less people", {.residents = 50}, {.residents = 40}, 11},
           {"as many on both sides", {.residents = 5}, {.residents = 5}, 0},
           {"one left is too few", {.residents = 5}, {.residents = 4}, 0},
           {"a trusted one counts at once, as two", {.trusted = 1}, {}, 3},
           {"and against others as two", {.residents = 4}, {.trusted = 1}, 3},
           {"trusted ones add up", {.trusted = 3}, {}, 7},
           {"two newcomers mark", {.newcomers = 2}, {}, 3},
           {"any number of newcomers counts as three", {.newcomers = 10'000}, {}, 3},
           {"newcomers complete a mark", {.residents = 1, .newcomers = 1}, {}, 3},
           {"but not a rejection", {.residents = 4, .newcomers = 50}, {}, 3},
           {"nor beside somebody trusted", {.trusted = 1, .newcomers = 50}, {}, 3},
           {"nor against a resident", {.residents = 5, .newcomers = 50}, {.residents = 1}, 3},
           {"they add to one", {.residents = 5, .newcomers = 50}, {}, 9},
           {"one resident outweighs any number of newcomers",
            {.newcomers = 100},
            {.residents = 1},
            0},
           {"so does somebody trusted", {.newcomers = 100}, {.trusted = 1}, 0},
           {"and the other way round: two residents", {.residents = 2}, {.newcomers = 100}, 3},
           {"three made-up names do not cancel a hundred people",
            {.residents = 100},
            {.newcomers = 3},
            21},
           {"nor a hundred newcomers", {.newcomers = 100}, {.newcomers = 3}, 3},
           {"the larger crowd of newcomers wins by its share",
            {.newcomers = 5},
            {.newcomers = 50},
            0},
           {"as many newcomers on both sides", {.newcomers = 50}, {.newcomers = 50}, 0},
           {"newcomers count beside a resident of their side, on both sides",
            {.residents = 6, .newcomers = 30},
            {.residents = 1, .newcomers = 30},
            6},
       }) {
    EXPECT_EQ(wanted_weight(kSpamHash, people(row.spam, row.ham), policy()), row.weight) << row.why;
  }
}

TEST(Support, SettingsMoveTheSteps) {
  const auto weight = [](const Crowd& spam, const ReportPolicy& policy) {
    return wanted_weight(kSpamHash, people(spam, {}), policy);
  };
  ReportPolicy eight = policy();
  eight.reject_people = 8;
  EXPECT_EQ(weight({.residents = 7}, eight), 3);
  EXPECT_EQ(weight({.residents = 8}, eight), 6);
  ReportPolicy two = policy();
  two.reject_people = 2;
  EXPECT_EQ(weight({.residents = 2}, two), 6);
  EXPECT_EQ(weight({.newcomers = 100}, two), 3) << "newcomers alone never reject";
  ReportPolicy many = policy();
  many.newcomers_max = 50;
  EXPECT_EQ(weight({.newcomers = 100}, many), 3) << "however many they count as";
  ReportPolicy four = policy();
  four.reporters_min = 4;
  EXPECT_EQ(weight({.residents = 3}, four), 0);
  EXPECT_EQ(weight({.residents = 4}, four), 3);
  ReportPolicy flat = policy();
  flat.steps[11] = {.header = 7, .reject = std::nullopt};
  EXPECT_EQ(weight({.residents = 2}, flat), 7);
  EXPECT_EQ(weight({.residents = 12}, flat), 17) << "nothing rejects there";
  EXPECT_EQ(weight({.trusted = 1}, policy(1)), 1) << "at once, but as one only";
  EXPECT_EQ(weight({.trusted = 1}, policy(5)), 6);
}

TEST(Support, AClosedCaseHasNoWeight) {
  ReportedHash closed = kSpamHash;
  closed.closed = true;
  EXPECT_EQ(wanted_weight(closed, people({.residents = 50}, {}), policy()), 0);
}

TEST(Support, WeightsOfTheSettingsMultiply) {
  const auto spam = people({.residents = 3}, {});
  EXPECT_EQ(wanted_weight({.flag = 11, .per_spam = 2, .per_ham = -1}, spam, policy()), 6);
  const auto divided = people({.residents = 9}, {.residents = 2});
  EXPECT_EQ(wanted_weight({.flag = 11, .per_spam = 1, .per_ham = -4}, divided, policy()), 0);
  EXPECT_EQ(wanted_weight({.flag = 11, .per_spam = 1, .per_ham = 0}, divided, policy()), 10)
      << "nothing is taken back";
}

TEST(Support, WantedMailIsPutOnItsListByPeopleWhoLiveHere) {
  const auto weight = [](const Crowd& spam, const Crowd& ham) {
    return wanted_weight(kWantedHash, people(spam, ham), policy());
  };
  EXPECT_EQ(weight({}, {.residents = 1}), 0) << "one alone puts nothing on a list";
  EXPECT_EQ(weight({}, {.residents = 2}), 2);
  EXPECT_EQ(weight({.residents = 2}, {.residents = 5}), 3);
  EXPECT_EQ(weight({}, {.newcomers = 100}), 0) << "nobody makes his own mail good";
  EXPECT_EQ(weight({}, {.trusted = 1}), 2);
}

TEST(Support, TheMajorityNamesAMessage) {
  const auto of = [](const Crowd& spam, const Crowd& ham) {
    return majority_of(people(spam, ham), policy());
  };
  EXPECT_EQ(of({}, {}), std::nullopt);
  EXPECT_EQ(of({.newcomers = 1}, {}), ReportKind::kSpam);
  EXPECT_EQ(of({.newcomers = 1}, {.newcomers = 1}), std::nullopt) << "a tie";
  EXPECT_EQ(of({.newcomers = 1}, {.newcomers = 2}), ReportKind::kHam);
  EXPECT_EQ(of({.residents = 4}, {.trusted = 1}), ReportKind::kHam) << "a trusted one decides";
  EXPECT_EQ(of({.trusted = 1, .residents = 1}, {.trusted = 1}), ReportKind::kSpam)
      << "they are divided";
  EXPECT_EQ(of({.newcomers = 50}, {.residents = 1}), ReportKind::kHam);
}

TEST(Support, NewcomersAreCounted) {
  EXPECT_EQ(newcomers_among(
                people({.trusted = 1, .newcomers = 4}, {.residents = 2, .newcomers = 3}), policy()),
            7);
}

TEST(ListSteps, TheDefaultsAreThoseOfTwoAndFive) {
  const auto steps = list_steps(Settings{});
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps.at(11), ListSteps{}) << "what the manual says";
}

TEST(ListSteps, FourAreNeverRejected) {
  const Settings settings;
  const FlagOptions* denied = settings.rules.front().flags.find(11);
  ASSERT_NE(denied, nullptr);
  const ListSteps steps = list_steps(settings).at(11);
  EXPECT_GE(rules::list_score(*denied, steps.header), 4);
  EXPECT_LT(rules::list_score(*denied, steps.header - 1), 4);
  EXPECT_GE(rules::list_score(*denied, steps.marks) * (25.0 / 32 - 0.5) * 2, 4)
      << "a message with 25 equal slots of 32 is marked, too";
  EXPECT_LT(rules::list_score(*denied, steps.marks) * rules::kContextMost, 10)
      << "and none is rejected, also beside a known image";
  EXPECT_GE(rules::list_score(*denied, *steps.reject), 10);
  EXPECT_LT(rules::list_score(*denied, *steps.reject - 1), 10);
  EXPECT_GE(rules::list_score(*denied, steps.rejects) * (28.0 / 32 - 0.5) * 2, 10)
      << "of 28 equal slots";
}

TEST(ListSteps, FollowTheActionsAndTheList) {
  Settings settings;
  settings.milter.actions.reject = 19;
  settings.milter.actions.add_header = 10;
  const ListSteps steps = list_steps(settings).at(11);
  EXPECT_EQ(steps.header, 5);
  EXPECT_EQ(steps.reject, 14);
  EXPECT_EQ(steps.rejects, 14) << "a similar one never reaches it";
  EXPECT_EQ(steps.marks, 9);
  settings.milter.actions.reject.reset();
  EXPECT_EQ(list_steps(settings).at(11).reject, std::nullopt);
  settings.milter.actions.reject = 30;  // more than the list ever gives
  EXPECT_EQ(list_steps(settings).at(11).reject, std::nullopt);
  settings.reports.spam.flag = "white";
  EXPECT_EQ(list_steps(settings).at(13).reject, std::nullopt) << "that list speaks for mail";
}

}  // namespace
}  // namespace shingled::milter::reports
