// Covers what MessageCounter asks of people.
#include <gtest/gtest.h>

#include "milter/counters/message_counter.h"
#include "tests/support/fake_counters.h"
#include "tests/support/fake_people.h"
#include "tests/support/manual_clock.h"

namespace shingled::milter::counters {
namespace {

using storage::counters::Amounts;
using storage::counters::Direction;
using storage::counters::Measure;
using storage::counters::parse_said_window;
using storage::people::ReportKind;
using storage::people::Standing;

constexpr CounterKeyBytes kSite{7};
const mime::Piece kPhrase{PieceType::kPhrase, "come and buy the most wonderful garden bench", ""};
const std::vector<mime::Piece> kPieces = {kPhrase, {PieceType::kSender, "a@x", ""}};

class AskPeople : public ::testing::Test {
 protected:
  MessageCounter counter() {
    return {{.options = {},
             .thresholds = {},
             .needs = {{.type = PieceType::kPhrase,
                        .windows = {*parse_said_window("1d"), *parse_said_window("365d")},
                        .said = true},
                       {.type = PieceType::kSender, .windows = {*parse_said_window("1d")}}},
             .site = kSite,
             .name = {},
             .store = counters_,
             .people = people_,
             .person = [](std::string_view address) { return std::uint64_t{address.size()}; }},
            clock_,
            logger_,
            state_};
  }
  void say(std::uint64_t person, ReportKind kind, bool proved = false) {
    const auto key = counter_of(kSite, Direction::kIn, kPhrase.type, kPhrase.first);
    ASSERT_TRUE(people_->say({.person = person,
                              .message = person,
                              .kind = kind,
                              .standing = Standing::kResident,
                              .time = clock_.unix_seconds() - 20 * 86'400,
                              .signs = {storage::people::sign_of(key, proved)}},
                             clock_.now()));
  }
  rules::CounterFacts ask(std::vector<std::uint64_t> persons = {}, bool proved = false) {
    const MessageCounter asking = counter();
    return asking.ask(kPieces, asking.keys_of(kPieces, Direction::kIn), TimePoint::max(), persons,
                      proved);
  }

  shingled::testing::ManualClock clock_;
  NullLogger logger_;
  CountingState state_;
  std::shared_ptr<shingled::testing::FakeCounters> counters_ =
      std::make_shared<shingled::testing::FakeCounters>();
  std::shared_ptr<shingled::testing::FakePeople> people_ =
      std::make_shared<shingled::testing::FakePeople>();
};

TEST_F(AskPeople, CountsThemInLongWindows) {
  say(4, ReportKind::kSpam);
  say(5, ReportKind::kSpam);
  const auto facts = ask();
  ASSERT_EQ(facts.pieces.size(), 2U);
  const rules::PieceCounts& phrase = facts.pieces[0];
  ASSERT_TRUE(phrase.known);
  ASSERT_TRUE(phrase.said_known);
  EXPECT_EQ(phrase.sums[0].of(Measure::kComplainers), 0U) << "they said it 20 days ago";
  EXPECT_EQ(phrase.sums[1].of(Measure::kComplainers), 2U);
  EXPECT_EQ(phrase.sums[1].of(Measure::kComplaint), 2U) << "nothing else is kept so long";
  EXPECT_EQ(phrase.sums[1].of(Measure::kOwnComplaint), 0U);
  EXPECT_FALSE(facts.pieces[1].said_known) << "nobody wants to know";
}

TEST_F(AskPeople, CountsNothingOfLongWindowsInTheCounters) {
  const MessageCounter asking = counter();
  Amounts one;
  one.of(Measure::kMass) = 1;
  ASSERT_TRUE(asking.add(kPieces, Direction::kIn, one));
  const auto facts = ask();
  EXPECT_EQ(facts.pieces[0].sums[0].of(Measure::kMass), 1U);
  EXPECT_EQ(facts.pieces[0].sums[1].of(Measure::kMass), 0U);
}

TEST_F(AskPeople, KnowsTheRecipientsAmongThem) {
  say(4, ReportKind::kSpam);
  const auto facts = ask({4, 9});
  EXPECT_EQ(facts.pieces[0].sums[1].of(Measure::kOwnComplaint), 1U);
  EXPECT_EQ(facts.pieces[0].sums[1].recipients, 2U);
  EXPECT_EQ(counter().persons_of(std::vector<std::string>{"abcd", "efgh", "a"}),
            (std::vector<std::uint64_t>{1, 4}));
}

TEST_F(AskPeople, TellsProvedMailFromOther) {
  say(4, ReportKind::kSpam, /*proved=*/false);
  say(5, ReportKind::kHam, /*proved=*/true);
  EXPECT_EQ(ask({}, false).pieces[0].sums[1].of(Measure::kComplainers), 1U);
  EXPECT_EQ(ask({}, true).pieces[0].sums[1].of(Measure::kComplainers), 0U);
  EXPECT_EQ(ask({}, true).pieces[0].sums[1].of(Measure::kRescuers), 1U);
}

TEST_F(AskPeople, ACounterThatIsAwayHidesNothingOfThemAndTheReverse) {
  say(4, ReportKind::kSpam);
  counters_->fail(true);
  const auto without_counters = ask();
  EXPECT_TRUE(without_counters.pieces[0].said_known);
  EXPECT_EQ(without_counters.pieces[0].sums[1].of(Measure::kComplainers), 1U);
  EXPECT_TRUE(without_counters.pieces[0].lost[0]);
  EXPECT_TRUE(state_.asking.lock()->end()) << "the outage of the counters was noted all the same";
  counters_->fail(false);
  people_->fail(true);
  const auto without_people = ask();
  EXPECT_FALSE(without_people.pieces[0].said_known);
  EXPECT_TRUE(without_people.pieces[0].known);
}

}  // namespace
}  // namespace shingled::milter::counters
