#include "milter/reports/wanted_mail.h"

#include <gtest/gtest.h>

#include "config/base/hex.h"
#include "storage/counters/addition.h"
#include "tests/milter/reports/desk.h"
#include "tests/support/fake_counters.h"
#include "tests/support/fake_people.h"

namespace shingled::milter::reports {
namespace {

using storage::counters::Day;
using storage::counters::Entry;
using storage::counters::kSlotsPerDay;
using storage::counters::Measure;
using storage::counters::Period;

constexpr Day kToday = 20'000;

Entry on_day(Day day, Measure measure = Measure::kHam) {
  Entry entry{{Period::Unit::kDay, day}, {}};
  entry.amounts.of(measure) = 3;
  return entry;
}

Entry in_slot(Day day, std::uint32_t slot) {
  Entry entry{{Period::Unit::kSlot, day * kSlotsPerDay + slot}, {}};
  entry.amounts.of(Measure::kHam) = 1;
  return entry;
}

TEST(Residence, WantedMailOnFiveDaysOfTheLastFortnight) {
  const auto resident = [](const std::vector<Entry>& entries) {
    return is_resident(entries, kToday);
  };
  EXPECT_FALSE(resident({})) << "a name that somebody made up";
  std::vector<Entry> days;
  for (Day day = kToday - 13; day < kToday - 9; ++day) days.push_back(on_day(day));
  EXPECT_FALSE(resident(days)) << "four";
  days.push_back(on_day(kToday - 14));
  EXPECT_FALSE(resident(days)) << "one of them is too long ago";
  days.push_back(on_day(kToday - 5, Measure::kSpam));
  EXPECT_FALSE(resident(days)) << "spam is not wanted mail";
  days.push_back(in_slot(kToday, 0));
  EXPECT_TRUE(resident(days)) << "five, with today";
  std::vector<Entry> busy;
  for (std::uint32_t slot = 0; slot < 100; ++slot) busy.push_back(in_slot(kToday - 1, slot));
  EXPECT_FALSE(resident(busy)) << "much on one day";
  EXPECT_FALSE(resident({on_day(kToday + 1), on_day(kToday + 2), on_day(kToday + 3),
                         on_day(kToday + 4), on_day(kToday + 5)}))
      << "of a clock that was wrong";
}

TEST(Residence, AsksOnceADay) {
  testing::FakeCounters counters;
  counters.set_present(kToday * kSlotsPerDay);
  const CounterKeyBytes site{5};
  const auto key = storage::counters::counter_of(site, storage::counters::Direction::kIn,
                                                 PieceType::kRecipient, "ann@example.org");
  std::vector<Entry> days;
  for (Day day = kToday - 4; day <= kToday; ++day) days.push_back(on_day(day));
  Residence residence;
  const std::vector<std::string> ann = {"ann@example.org"};
  const auto ask = [&] { return residence.ask(counters, site, ann, TimePoint{}); };
  EXPECT_EQ(ask(), false);
  counters.set_series(key, days);
  EXPECT_EQ(ask(), false) << "until tomorrow";
  EXPECT_EQ(counters.questions(), 1U);
  counters.set_present((kToday + 1) * kSlotsPerDay);
  EXPECT_EQ(ask(), true);
  counters.set_present((kToday + 2) * kSlotsPerDay);
  counters.fail(true);
  EXPECT_EQ(ask(), std::nullopt) << "nobody knows";
  counters.fail(false);
  const std::vector<std::string> bare = {"ann"};
  EXPECT_EQ(residence.ask(counters, site, bare, TimePoint{}), false) << "no address";
  const std::vector<std::string> aliased = {"ann@example.org", "u05@example.org"};
  EXPECT_EQ(residence.ask(counters, site, aliased, TimePoint{}), true)
      << "mail to another name of the mailbox";
}

using storage::counters::Amounts;
using storage::counters::CounterKey;

Entry on_day(Day day, std::uint64_t ham, std::uint64_t spam = 0) {
  Entry entry{{Period::Unit::kDay, day}, {}};
  entry.amounts.of(Measure::kHam) = ham;
  entry.amounts.of(Measure::kSpam) = spam;
  return entry;
}

TEST(WantedFiles, AreThoseOfWantedMailOnSeveralDays) {
  struct Row {
    const char* why;
    std::vector<Entry> entries;
    bool wanted;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"nothing is known", {}, false},
           {"three days, today included",
            {on_day(kToday, 4), on_day(kToday - 1, 3), on_day(kToday - 9, 3)},
            true},
           {"two hundred copies of one day are no shield", {on_day(kToday, 200)}, false},
           {"nor those of two days", {on_day(kToday, 200), on_day(kToday - 1, 200)}, false},
           {"too few", {on_day(kToday, 1), on_day(kToday - 1, 1), on_day(kToday - 2, 1)}, false},
           {"too long ago",
            {on_day(kToday, 9), on_day(kToday - 1, 9), on_day(kToday - 14, 9)},
            false},
           {"spam had it, too",
            {on_day(kToday, 9, 3), on_day(kToday - 1, 9), on_day(kToday - 2, 9)},
            false},
           {"a mistake in thirty",
            {on_day(kToday, 10, 3), on_day(kToday - 1, 10), on_day(kToday - 2, 10)},
            true},
           {"of tomorrow",
            {on_day(kToday + 1, 9), on_day(kToday, 9), on_day(kToday - 1, 9)},
            false},
       }) {
    EXPECT_EQ(is_wanted_file(row.entries, kToday), row.wanted) << row.why;
  }
}

/// A brochure that wanted mail carried on three days, and reports of letters with it.
struct WantedFilesAtTheDesk : Desk {
  std::shared_ptr<testing::FakePeople> people = std::make_shared<testing::FakePeople>();
  const std::string brochure = "%PDF-1.4 " + std::string(3000, 'b') + " the brochure of a company";

  void SetUp() override {
    Desk::SetUp();
    desk->connect({.store = &store,
                   .counters = [this] { return counters; },
                   .people = [this] { return people; },
                   .site = [] { return std::optional(kTestSite); },
                   .label = [](std::uint64_t, std::optional<ReportKind>) {}});
    desk->use(std::make_shared<const Settings>(settings));
  }

  [[nodiscard]] std::string letter(int number, const std::string& text) const {
    return "From: a@example.org\r\nSubject: Offer\r\nMessage-ID: <" + std::to_string(number) +
           "@example.org>\r\nMIME-Version: 1.0\r\n"
           "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: "
           "text/plain\r\n\r\n" +
           text +
           "\r\n--b\r\nContent-Type: application/pdf; name=brochure.pdf\r\n"
           "Content-Disposition: attachment; filename=brochure.pdf\r\n\r\n" +
           brochure + "\r\n--b--\r\n";
  }
  [[nodiscard]] ReportedMessage read(const std::string& message) const {
    return read_reported(message, kTestSite, taught_rules(settings));
  }
  /// The brochure as the counters know it.
  [[nodiscard]] Digest file() const {
    const ReportedMessage message = read(letter(1, kOffer));
    EXPECT_EQ(message.files.size(), 1U);
    return message.files.empty() ? Digest{} : *message.files.begin();
  }
  void count_wanted(const std::vector<Day>& days) {
    const CounterKey key = storage::counters::counter_of(
        kTestSite, storage::counters::Direction::kIn, PieceType::kAttachment, to_hex(file().bytes));
    counters->set_present(kToday * kSlotsPerDay);
    std::vector<Entry> entries;
    storage::counters::Addition seen;
    seen.counters = {key};
    for (const Day day : days) {
      entries.push_back(on_day(day, 5));
      seen.amounts.of(Measure::kHam) += 5;
    }
    counters->set_series(key, entries);
    ASSERT_TRUE(counters->add(seen, clock.now()));
  }
  [[nodiscard]] bool knows_file() const {
    const auto signs = storage::people::sign_of(
        storage::counters::counter_of(kTestSite, storage::counters::Direction::kIn,
                                      PieceType::kAttachment, to_hex(file().bytes)),
        false);
    return std::ranges::any_of(people->statements(), [&](const auto& said) {
      return std::ranges::find(said.signs, signs) != said.signs.end();
    });
  }
};

TEST_F(WantedFilesAtTheDesk, AreNeitherTaughtNorComplainedOf) {
  count_wanted({kToday, kToday - 1, kToday - 2});
  const auto all = read(letter(1, kOffer)).hashes.size();
  EXPECT_EQ(spam("ann", letter(1, kOffer)).hashes, all - 1);
  EXPECT_FALSE(knows_file());
  EXPECT_EQ(people->statements().size(), 1U) << "of the rest something was said";
}

TEST_F(WantedFilesAtTheDesk, AreTaughtLikeOthersWhereNobodyKnowsThem) {
  count_wanted({kToday});
  EXPECT_EQ(spam("ann", letter(1, kOffer)).hashes, read(letter(1, kOffer)).hashes.size());
  EXPECT_TRUE(knows_file());
}

TEST_F(WantedFilesAtTheDesk, ProtectNobodyOfWhomAResidentComplained) {
  settings.reports.residents = Residents::kAll;
  desk->use(std::make_shared<const Settings>(settings));
  spam("ann", letter(1, kOffer));
  count_wanted({kToday, kToday - 1, kToday - 2});
  EXPECT_EQ(spam("bob", letter(2, kOffer)).hashes, read(letter(2, kOffer)).hashes.size());
}

TEST_F(WantedFilesAtTheDesk, AreTheMessageWhereThereIsNothingElse) {
  count_wanted({kToday, kToday - 1, kToday - 2});
  ReportedMessage bare = read(letter(3, kOffer));
  std::erase_if(bare.hashes,
                [&](const auto& hash) { return !bare.files.contains(hash.fingerprint.digest); });
  ASSERT_EQ(bare.hashes.size(), 1U);
  EXPECT_TRUE(wanted_files(bare, {*counters, people.get(), kTestSite, clock.now()}).empty());
}

TEST_F(WantedFilesAtTheDesk, AreUnknownWhileTheCountersAreAway) {
  count_wanted({kToday, kToday - 1, kToday - 2});
  const ReportedMessage message = read(letter(1, kOffer));
  counters->fail(true);
  EXPECT_TRUE(wanted_files(message, {*counters, people.get(), kTestSite, clock.now()}).empty());
}

}  // namespace
}  // namespace shingled::milter::reports
