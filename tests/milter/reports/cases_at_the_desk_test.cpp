// Covers milter/reports/case_desk.cpp and what milter/reports/report_desk.cpp makes of cases,
// standing and rates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "config/base/hex.h"
#include "storage/counters/addition.h"
#include "tests/milter/reports/desk.h"

namespace shingled::milter::reports {
namespace {

using storage::sqlite::Ruling;
using ::testing::HasSubstr;

/// Long enough for shingles.
std::string long_text() {
  std::string out;
  for (int i = 0; i < 120; ++i) {
    out += "garden" + std::to_string(i * 7919 % 1000) + " bench" + std::to_string(i) +
           (i % 10 == 9 ? ".\r\n" : " ");
  }
  return out;
}

/// The same text, with a few words of its own in the middle and at the end.
std::string variant(int number) {
  std::string text = long_text();
  text.insert(text.size() / 2,
              "dear" + std::to_string(number) + " reader" + std::to_string(number) + " ");
  return mail(number, text + "farewell" + std::to_string(number));
}

std::vector<Digest> digests_of(const std::string& message, const Settings& settings) {
  std::vector<Digest> out;
  const auto rules = taught_rules(settings);
  for (const auto& hash : read_reported(message, kTestSite, rules).hashes)
    out.push_back(hash.fingerprint.digest);
  return out;
}

struct Cases : Desk {
  /// Everybody is a resident from now on.
  void let_all_reside() {
    settings.reports.residents = Residents::kAll;
    open();
  }
  void delete_from_storage(const std::string& message) {
    for (const Digest& digest : digests_of(message, settings)) {
      storage::Update update;
      update.kind = storage::Update::Kind::kDelete;
      update.fingerprint.digest = digest;
      store.submit(update, [](const Status& /*done*/) {});
    }
  }
  KnownCase only_case() {
    const auto found = desk->cases(0, 10, false);
    if (!found || found->size() != 1) {
      ADD_FAILURE() << (found ? std::to_string(found->size()) : found.error().message);
      return {};
    }
    return found->front();
  }
};

TEST_F(Cases, EachReportsHisOwnVariant) {
  let_all_reside();
  ASSERT_NE(digests_of(variant(1), settings), digests_of(variant(2), settings));
  spam("ann", variant(1));
  EXPECT_EQ(weight(variant(1)), 0);
  spam("bob", variant(2));
  EXPECT_EQ(weight(variant(2)), 3);
  EXPECT_EQ(weight(variant(1)), 3) << "what was reported before counts as much";
  for (int i = 3; i <= 5; ++i) spam("r" + std::to_string(i), variant(i));
  for (int i = 1; i <= 5; ++i) EXPECT_EQ(weight(variant(i)), 6) << i;
  EXPECT_EQ(weight(mail(9)), 0) << "another text";
}

TEST_F(Cases, OnePersonCountsOnceInACase) {
  let_all_reside();
  for (int i = 1; i <= 6; ++i) spam("ann", variant(i));
  EXPECT_EQ(weight(variant(1)), 0);
  spam("bob", variant(7));
  EXPECT_EQ(weight(variant(7)), 3);
  ham("bob", variant(8));  // his last word
  EXPECT_EQ(weight(variant(7)), 0);
}

TEST_F(Cases, TwoMarkAndFiveReject) {
  let_all_reside();
  const auto text = [&](int i) {
    return to_text(spam("r" + std::to_string(i), variant(i)).figures.value());
  };
  EXPECT_EQ(text(1), "1 person says spam: marked for everybody when 2 do");
  EXPECT_EQ(text(2), "2 people say spam: marked from now on; rejected when 5 do");
  text(3);
  EXPECT_EQ(text(4), "4 people say spam: marked from now on; rejected when 5 do");
  EXPECT_EQ(text(5), "5 people say spam: rejected from now on");
  EXPECT_EQ(text(5), "5 people say spam: rejected from now on") << "also who repeats it is told";
}

TEST_F(Cases, NewcomersMarkUntilOneWhoLivesHereSaysNo) {
  settings.reports.domain = "example.org";
  open();
  counters->set_present(20'000 * storage::counters::kSlotsPerDay);
  std::vector<storage::counters::Entry> days;
  for (storage::counters::Day day = 19'990; day < 19'996; ++day) {
    days.push_back({{storage::counters::Period::Unit::kDay, day}, {}});
    days.back().amounts.of(Measure::kHam) = 2;
  }
  counters->set_series(storage::counters::counter_of(kTestSite, storage::counters::Direction::kIn,
                                                     PieceType::kRecipient, "ann@example.org"),
                       days);
  for (int i = 0; i < 50; ++i) spam("sock" + std::to_string(i), variant(i));
  EXPECT_EQ(weight(variant(1)), 3) << "marked, not rejected";
  const ReportReceipt receipt = ham("Ann", variant(1));
  EXPECT_EQ(weight(variant(1)), 0);
  EXPECT_TRUE(receipt.figures->sides.ham.has_resident);
  const auto known = desk->reporters(100);
  ASSERT_TRUE(known);
  EXPECT_EQ(std::ranges::count(*known, Standing::kResident, &KnownReporter::standing), 1);
}

TEST_F(Cases, ARunOfReportsOfOnePersonIsBounded) {
  settings.reports.rate = {3, 3.0 / 3600};
  settings.reports.trusted_reporters = {"postmaster"};
  open();
  for (int i = 0; i < 3; ++i) spam("eve", mail(i));
  const auto receipt = take(ReportKind::kSpam, "Eve", mail(9));
  ASSERT_FALSE(receipt);
  EXPECT_EQ(receipt.error().code, ErrorCode::kLimit);
  EXPECT_THAT(receipt.error().message, HasSubstr("too many reports of this person"));
  spam("bob", mail(9));
  for (int i = 0; i < 9; ++i) spam("postmaster", mail(i));
  clock.advance(std::chrono::minutes(21));
  spam("eve", mail(9));
}

TEST_F(Cases, AFailureDoesNotUseUpTheRate) {
  settings.reports.rate = {2, 2.0 / 3600};
  open();
  counters->fail(true);
  for (int i = 0; i < 9; ++i) EXPECT_FALSE(take(ReportKind::kSpam, "ann", mail(1)));
  counters->fail(false);
  spam("ann", mail(1));
}

TEST_F(Cases, ATrustedWordClosesACase) {
  settings.reports.trusted_reporters = {"postmaster"};
  let_all_reside();
  for (int i = 0; i < 6; ++i) spam("r" + std::to_string(i), variant(i));
  ASSERT_GE(weight(variant(0)), 5);
  ham("postmaster", variant(0));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(weight(variant(i)), 0) << i;
  const ReportReceipt receipt = spam("zoe", variant(50));
  EXPECT_EQ(weight(variant(50)), 0) << "also what comes later and is like it";
  EXPECT_EQ(receipt.figures->effect, CaseEffect::kClosed);
  for (int i = 0; i < 50; ++i) spam("more" + std::to_string(i), variant(0));
  EXPECT_EQ(weight(variant(0)), 0);
  EXPECT_EQ(only_case().effect, CaseEffect::kClosed);
  open();
  spam("joe", variant(0));
  EXPECT_EQ(weight(variant(0)), 0) << "after a start, too";
  spam("postmaster", variant(0));
  EXPECT_GE(weight(variant(0)), 5) << "somebody trusted says spam";
  EXPECT_GE(weight(variant(50)), 5);
}

TEST_F(Cases, WhatIsLikeAClosedTextDoesNotCloseMore) {
  settings.reports.trusted_reporters = {"postmaster"};
  let_all_reside();
  ham("postmaster", variant(1));
  spam("ann", mail(7));
  spam("bob", mail(7));
  EXPECT_EQ(weight(mail(7)), 3) << "another text";
}

TEST_F(Cases, WithdrawnReportsDoNotComeBack) {
  let_all_reside();
  for (int i = 0; i < 6; ++i) spam("r" + std::to_string(i), variant(i));
  ASSERT_GE(weight(variant(0)), 5);
  const auto people = desk->withdraw(digests_of(variant(0), settings), 0);
  ASSERT_TRUE(people) << people.error().message;
  EXPECT_EQ(*people, 6U);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(weight(variant(i)), 0) << i;
  EXPECT_EQ(store.size(), 0U);
  spam("new", variant(7));
  EXPECT_EQ(weight(variant(7)), 0) << "one person, as at the beginning";
  EXPECT_EQ(spam("r1", variant(1)).what, What::kSame);
  EXPECT_EQ(weight(variant(1)), 0) << "who said it before has said it";
  spam("other", variant(8));
  EXPECT_EQ(weight(variant(8)), 3);
}

TEST_F(Cases, WhatTheStorageLostIsWithdrawn) {
  let_all_reside();
  for (int i = 0; i < 6; ++i) spam("r" + std::to_string(i), mail(i));
  ASSERT_EQ(weight(mail(1)), 7);
  delete_from_storage(mail(1));
  ASSERT_EQ(weight(mail(1)), 0);
  spam("new", mail(7));
  EXPECT_EQ(weight(mail(1)), 0) << "it does not come back with the next report";
  spam("newer", mail(8));
  EXPECT_EQ(weight(mail(1)), 3);
}

TEST_F(Cases, WhatTheStorageLostOfACaseStaysAway) {
  let_all_reside();
  spam("ann", variant(1));
  spam("bob", variant(2));
  delete_from_storage(variant(1));
  spam("joe", variant(3));
  EXPECT_EQ(weight(variant(1)), 0) << "nobody has reported it since";
  EXPECT_EQ(weight(variant(2)), 3);
}

TEST_F(Cases, WithdrawingWhereNobodyReportedMakesNoFile) {
  const auto people = desk->withdraw(digests_of(mail(1), settings), 0);
  ASSERT_TRUE(people) << people.error().message;
  EXPECT_EQ(*people, 0U);
  ASSERT_TRUE(desk->cases(0, 10, false));
  EXPECT_FALSE(std::filesystem::exists(settings.reports.file));
}

TEST_F(Cases, ACaseIsShownClosedAndOpenedAgain) {
  settings.reports.trusted_reporters = {"postmaster@example.org"};
  let_all_reside();
  spam("ann", variant(1));
  spam("bob", variant(2));
  spam("postmaster@example.org", variant(3));
  ham("joe", variant(1));
  const KnownCase before = only_case();
  EXPECT_EQ(before.effect, CaseEffect::kMarked);
  EXPECT_EQ(before.sides.spam.people, 3U);
  EXPECT_EQ(before.sides.ham.people, 1U);
  EXPECT_EQ(before.row.messages, 3U);
  EXPECT_THAT(before.lists, ::testing::ElementsAre("denied"));
  EXPECT_EQ(
      std::ranges::count(before.people, std::string("postmaster@example.org"), &CasePerson::name),
      1);

  auto closed = desk->rule_case(before.id, Ruling::kCloses);
  ASSERT_TRUE(closed) << closed.error().message;
  EXPECT_EQ(closed->effect, CaseEffect::kClosed);
  EXPECT_EQ(weight(variant(1)), 0);
  spam("eve", variant(4));
  EXPECT_EQ(weight(variant(4)), 0);
  auto open_again = desk->rule_case(before.id, Ruling::kReopens);
  ASSERT_TRUE(open_again) << open_again.error().message;
  EXPECT_EQ(open_again->effect, CaseEffect::kMarked);
  EXPECT_EQ(weight(variant(1)), 3) << "two, one who counts as two, less one";

  EXPECT_EQ(desk->find_case("0", false).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(desk->find_case("not hex", false).error().code, ErrorCode::kInvalid);
  const std::string own = to_hex(before.row.oldest.bytes);
  std::string other = own;
  other[0] = own[0] == 'f' ? '0' : 'f';
  EXPECT_EQ(desk->find_case(other, false).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(desk->find_case(own, false));
}

TEST_F(Cases, AClosedCaseOutlivesItsReports) {
  settings.reports.trusted_reporters = {"postmaster"};
  let_all_reside();
  spam("ann", variant(1));
  ham("postmaster", variant(1));
  clock.advance(std::chrono::hours(25));
  spam("x", mail(8));
  clock.advance(settings.reports.keep + std::chrono::hours(1));
  spam("x", mail(9));
  spam("bob", variant(2));
  spam("joe", variant(3));
  EXPECT_EQ(weight(variant(2)), 0);
}

TEST_F(Cases, ACaseOutlivesItsFirstHash) {
  let_all_reside();
  spam("ann", variant(1));
  clock.advance(settings.reports.keep / 2);
  spam("bob", variant(2));
  const std::string id = only_case().id;
  clock.advance(settings.reports.keep / 2 + std::chrono::hours(1));
  spam("joe", variant(3));
  EXPECT_NE(only_case().id, id) << "that of the next one";
  EXPECT_EQ(only_case().people.size(), 2U);
  EXPECT_EQ(weight(variant(3)), 3);
}

TEST_F(Cases, ALargeMessageHasFewHashes) {
  std::string text =
      "From: a@b.example\r\nMessage-ID: <1@x>\r\nMIME-Version: 1.0\r\n"
      "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n" +
      long_text() + "\r\n";
  for (int i = 0; i < 300; ++i) {
    text +=
        "--b\r\nContent-Type: application/octet-stream\r\n"
        "Content-Disposition: attachment; filename=f.bin\r\n\r\n" +
        std::to_string(i) + std::string(1100 + static_cast<std::size_t>(i), 'x') + "\r\n";
  }
  text += "--b--\r\n";
  const auto read = read_reported(text, kTestSite, taught_rules(settings));
  EXPECT_EQ(read.hashes.size(), kReportedHashesMax);
  EXPECT_TRUE(read.hashes.front().fingerprint.shingles) << "the text is the first";
}

}  // namespace
}  // namespace shingled::milter::reports
