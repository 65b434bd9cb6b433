#include "milter/reports/report_desk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "tests/milter/reports/desk.h"
#include "tests/support/fake_counters.h"
#include "tests/support/fake_store.h"
#include "tests/support/manual_clock.h"
#include "tests/support/seeded_random.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::reports {
namespace {

TEST_F(Desk, TeachesWhenTwoAgree) {
  EXPECT_EQ(spam("ann", mail(1)).what, What::kNew);
  EXPECT_EQ(weight(mail(1)), 0) << "kept aside";
  EXPECT_GT(spam("bob", mail(2)).changed, 0U) << "the same text in another message";
  EXPECT_EQ(weight(mail(1)), 3);
  EXPECT_EQ(counted(Measure::kComplaint, PieceType::kSubject), 2U);
  EXPECT_GT(counted(Measure::kMass, PieceType::kHashReporter), 0U);
  EXPECT_EQ(counted(Measure::kMass, PieceType::kMessageReporter), 2U);
  EXPECT_EQ(labels.size(), 2U);
}

TEST_F(Desk, CountsOnePersonOnce) {
  for (int i = 0; i < 50; ++i) spam("ann", mail(1));
  EXPECT_EQ(weight(mail(1)), 0);
  EXPECT_EQ(counted(Measure::kComplaint, PieceType::kSubject), 1U);
  EXPECT_EQ(spam("Ann", mail(1)).what, What::kSame) << "case is ignored";
  EXPECT_EQ(labels.size(), 1U);
}

TEST_F(Desk, TakesBackExactly) {
  spam("ann", mail(1));
  spam("bob", mail(1));
  ASSERT_EQ(weight(mail(1)), 3);
  const ReportReceipt receipt = ham("bob", mail(1));
  EXPECT_EQ(receipt.what, What::kTurned);
  EXPECT_EQ(weight(mail(1)), 0);
  EXPECT_EQ(store.size(), 0U) << "as it was before";
  EXPECT_EQ(counted(Measure::kRescue, PieceType::kSubject), 1U);
  EXPECT_EQ(labels.back().second, std::nullopt) << "one says this, one that";
  spam("joe", mail(1));
  EXPECT_EQ(spam("bob", mail(1)).what, What::kTurned);
  EXPECT_EQ(weight(mail(1)), 3);
}

TEST_F(Desk, BelievesTrustedReportersAtOnce) {
  settings.reports.trusted_reporters = {"Postmaster@example.org"};
  open();
  spam("postmaster@example.org", mail(1));
  EXPECT_EQ(weight(mail(1)), 3);
  const auto known = desk->reporters(10);
  ASSERT_TRUE(known);
  ASSERT_EQ(known->size(), 1U);
  EXPECT_EQ(known->front().name, "Postmaster@example.org");
  EXPECT_EQ(known->front().standing, Standing::kTrusted);
}

TEST_F(Desk, ACrowdOfNewcomersIsBounded) {
  for (int i = 0; i < 50; ++i) spam("sock" + std::to_string(i), mail(1));
  EXPECT_EQ(weight(mail(1)), 3);
  EXPECT_EQ(counted(Measure::kComplaint, PieceType::kSubject), 3U);
  EXPECT_EQ(counted(Measure::kMass, PieceType::kMessageReporter), 3U);
  const auto known = desk->reporters(100);
  ASSERT_TRUE(known);
  EXPECT_TRUE(known->front().name.empty()) << "only a hash is known of others";
}

TEST_F(Desk, RefusesWhatIsNoReport) {
  const auto code = [&](const std::string& who, const std::string& message) {
    const auto receipt = take(ReportKind::kSpam, who, message);
    return receipt ? ErrorCode::kInternal : receipt.error().code;
  };
  EXPECT_EQ(code("", mail(1)), ErrorCode::kInvalid);
  EXPECT_EQ(code("a\r\nb", mail(1)), ErrorCode::kInvalid);
  EXPECT_EQ(code("ann", ""), ErrorCode::kInvalid);
  EXPECT_EQ(code("ann", "GIF89a"), ErrorCode::kInvalid);
  settings.reports.enabled = false;
  open();
  EXPECT_EQ(code("ann", mail(1)), ErrorCode::kDenied);
  desk->close();
  EXPECT_EQ(code("ann", mail(1)), ErrorCode::kUnavailable);
}

TEST_F(Desk, ABrokenFileIsAClearError) {
  std::ofstream(settings.reports.file) << "this is no database, but a text of some length";
  const auto receipt = take(ReportKind::kSpam, "ann", mail(1));
  ASSERT_FALSE(receipt);
  EXPECT_EQ(receipt.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(receipt.error().message, ::testing::HasSubstr("reports.file: "));
}

TEST_F(Desk, ReportsWaitWhileTheFileIsNotOurs) {
  spam("ann", mail(1));
  const auto code = [&] {
    const auto receipt = take(ReportKind::kSpam, "ann", mail(1));
    return receipt ? ErrorCode::kInternal : receipt.error().code;
  };
  desk->connect({.store = &store,
                 .counters = [this] { return counters; },
                 .site = [] { return std::optional(CounterKeyBytes{6}); },
                 .label = nullptr});
  desk->use(std::make_shared<const Settings>(settings));
  desk->close();
  desk->use(std::make_shared<const Settings>(settings));
  EXPECT_EQ(code(), ErrorCode::kCorrupt) << "under another key Ann would count twice";
  desk.reset();
  {
    auto database = storage::sqlite::Database::open(settings.reports.file,
                                                    storage::sqlite::Database::Access::kCreate);
    ASSERT_TRUE(database && (*database)->execute("PRAGMA user_version = 9"));
  }
  open();
  EXPECT_EQ(code(), ErrorCode::kCorrupt) << "of a newer version: the report is right and may wait";
}

TEST_F(Desk, FinishesWhatTheCountersDidNotTake) {
  counters->fail(true);
  EXPECT_FALSE(take(ReportKind::kSpam, "ann", mail(1)));
  counters->fail(false);
  const ReportReceipt receipt = spam("ann", mail(1));
  EXPECT_EQ(receipt.what, What::kSame);
  EXPECT_TRUE(receipt.counted);
  EXPECT_EQ(counted(Measure::kComplaint, PieceType::kSubject), 1U);
  EXPECT_GT(counted(Measure::kMass, PieceType::kHashReporter), 0U);
  EXPECT_FALSE(labels.empty());
}

TEST_F(Desk, ARetryTeachesNothingTwice) {
  settings.reports.trusted_reporters = {"ann"};
  open();
  counters->fail(true);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(take(ReportKind::kSpam, "ann", mail(1)));
  EXPECT_EQ(weight(mail(1)), 3);
  counters->fail(false);
  EXPECT_EQ(spam("ann", mail(1)).changed, 0U);
  EXPECT_EQ(weight(mail(1)), 3);
  spam("bob", mail(1));
  EXPECT_EQ(weight(mail(1)), 3);
}

TEST_F(Desk, CountsEachPartOnce) {
  for (int i = 0; i < 3; ++i) {
    counters->fail_next({i > 0, true});  // the pieces once, never the reporters
    EXPECT_FALSE(take(ReportKind::kSpam, "ann", mail(1)));
  }
  counters->fail_next({});
  EXPECT_TRUE(spam("ann", mail(1)).counted);
  EXPECT_EQ(counted(Measure::kComplaint, PieceType::kSubject), 1U);
  EXPECT_EQ(counted(Measure::kMass, PieceType::kMessageReporter), 1U);
}

TEST_F(Desk, ACountedNewcomerMayAlwaysTakeItBack) {
  for (int i = 0; i < 5; ++i) spam("sock" + std::to_string(i), mail(1));
  counters->fail(true);
  EXPECT_FALSE(take(ReportKind::kHam, "sock0", mail(1)));
  EXPECT_FALSE(take(ReportKind::kHam, "sock0", mail(1)));
  counters->fail(false);
  EXPECT_TRUE(ham("sock0", mail(1)).counted) << "his complaint was";
  EXPECT_FALSE(ham("sock4", mail(1)).counted) << "he was one too many";
}

TEST_F(Desk, TakesNothingWhileTheStorageIsAway) {
  spam("ann", mail(1));
  spam("bob", mail(1));
  ASSERT_EQ(weight(mail(1)), 3);
  store.go_away();
  const auto receipt = take(ReportKind::kHam, "bob", mail(1));
  ASSERT_FALSE(receipt);
  EXPECT_EQ(receipt.error().code, ErrorCode::kUnavailable);
  store.come_back();
  EXPECT_EQ(ham("bob", mail(1)).what, What::kTurned);
  EXPECT_EQ(weight(mail(1)), 0) << "taken back, not lost";
}

TEST_F(Desk, WaitsForUpdatesThatHadNoAnswer) {
  testing::FakeStore slow(testing::FakeStore::Commit::kWhenTold);
  settings.reports.trusted_reporters = {"ann"};
  desk = std::make_unique<ReportDesk>(clock, random, logger);
  desk->connect({.store = &slow,
                 .counters = [this] { return counters; },
                 .site = [] { return std::optional(kTestSite); },
                 .label = nullptr,
                 .patience = {std::chrono::milliseconds(0), std::chrono::milliseconds(0)}});
  desk->use(std::make_shared<const Settings>(settings));
  EXPECT_EQ(take(ReportKind::kSpam, "ann", mail(1)).error().code, ErrorCode::kTimeout);
  const std::size_t updates = slow.waiting();
  EXPECT_EQ(take(ReportKind::kSpam, "ann", mail(1)).error().code, ErrorCode::kTimeout);
  EXPECT_EQ(slow.waiting(), updates) << "nothing is sent again";
  slow.commit();
  EXPECT_EQ(spam("ann", mail(1)).what, What::kSame);
  EXPECT_EQ(slow.waiting(), 0U);
  EXPECT_EQ(slow.applied(), updates);
}

TEST_F(Desk, OneMessageIdNamesManyMessages) {
  const std::string other = mail(1, "Another text under the same Message-ID: " + kOffer);
  EXPECT_EQ(spam("ann", mail(1)).what, What::kNew);
  EXPECT_EQ(spam("ann", other).what, What::kNew);
  EXPECT_EQ(labels.front().first, labels.back().first) << "the history knows only the id";
}

TEST_F(Desk, TheMajorityDecidesTheLabel) {
  spam("ann", mail(1));
  spam("bob", mail(1));
  ham("joe", mail(1));
  EXPECT_EQ(labels.back().second, ReportKind::kSpam) << "not the last one";
  ham("eve", mail(1));
  EXPECT_EQ(labels.back().second, std::nullopt);
  settings.reports.trusted_reporters = {"eve"};
  open();
  ham("zoe", mail(1));
  EXPECT_EQ(labels.back().second, ReportKind::kHam);
}

TEST_F(Desk, ADoubtedClockForgetsNothing) {
  spam("ann", mail(1));
  desk.reset();
  clock.advance(settings.reports.keep * 2);  // while it did not run: maybe the clock is wrong
  open();
  spam("ann", mail(2, "A text of something else entirely, which nobody has ever seen before."));
  EXPECT_EQ(spam("ann", mail(1)).what, What::kSame);
  clock.advance(std::chrono::hours(25));
  EXPECT_EQ(spam("ann", mail(3)).what, What::kNew);
  clock.advance(settings.reports.keep * 2);
  EXPECT_EQ(spam("ann", mail(1)).what, What::kNew) << "it stayed so";
}

TEST_F(Desk, AStartFinishesWhatACrashLeft) {
  spam("ann", mail(1));
  {
    // The report was stored; the daemon ended before the storage had it.
    desk.reset();
    auto table = storage::sqlite::ReportTable::open(settings.reports.file, site_id(kTestSite));
    ASSERT_TRUE(table);
    const auto rules = taught_rules(settings);
    const auto read = read_reported(mail(1), kTestSite, rules);
    const auto outcome =
        (*table)->add({read.name, reporter_id(kTestSite, "bob"), ReportKind::kSpam, 0, read.hashes},
                      [](const auto&, auto) -> Result<storage::sqlite::WantedWeight> {
                        return storage::sqlite::WantedWeight{2, 0};
                      });
    ASSERT_TRUE(outcome);
    ASSERT_FALSE(outcome->changes.empty());
  }
  EXPECT_EQ(weight(mail(1)), 0);
  open();
  spam("joe", mail(9, "A text of something else entirely, which nobody has ever seen before."));
  EXPECT_EQ(weight(mail(1)), 2);
  open();
  spam("joe", mail(8, "One more text of something else, of which nobody has heard before."));
  EXPECT_EQ(weight(mail(1)), 2) << "once";
}

TEST_F(Desk, ForgetsAfterTheTimeToKeep) {
  spam("ann", mail(1));
  clock.advance(settings.reports.keep + std::chrono::hours(1));
  EXPECT_EQ(spam("ann", mail(1)).what, What::kNew);
}

TEST_F(Desk, ReportsAMessageOfABounceWithoutTeaching) {
  const std::string bounce =
      "Return-Path: <>\r\nFrom: x@example.org\r\nAuto-Submitted: auto-replied\r\n"
      "In-Reply-To: <6@example.org>\r\nMessage-ID: <7@example.org>\r\n\r\n"
      "I am away until Monday and will answer when I am back from my holiday in the mountains.\r\n";
  const ReportReceipt receipt = spam("ann", bounce);
  EXPECT_EQ(receipt.hashes, 0U);
  EXPECT_THAT(receipt.not_taught, ::testing::HasSubstr("automatic answer"));
  EXPECT_TRUE(receipt.counted);
}

TEST_F(Desk, OneFieldOrPartDoesNotKeepSpamFromBeingTaught) {
  const std::string text = mail(7), body = text.substr(text.find("\r\n\r\n") + 4);
  EXPECT_GT(spam("ann", "Return-Path: <a@b>\r\nAuto-Submitted: auto-replied\r\n" + text).hashes,
            0U);
  EXPECT_GT(
      spam("ann",
           "From: x@example.org\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\n" +
               body + "\r\n--x\r\nContent-Type: message/delivery-status\r\n\r\nx\r\n--x--\r\n")
          .hashes,
      0U);
}

TEST_F(Desk, CountsWithoutAStorage) {
  desk = std::make_unique<ReportDesk>(clock, random, logger);
  desk->connect({.store = nullptr,
                 .counters = [this] { return counters; },
                 .site = [] { return std::nullopt; },
                 .label = nullptr});
  desk->use(std::make_shared<const Settings>(settings));
  EXPECT_TRUE(spam("ann", mail(1)).counted);
  EXPECT_TRUE(std::filesystem::exists(directory.file("counters/key")))
      << "made as the counters would";
}

TEST_F(Desk, MakesNoFolderBesideAKeyFile) {
  settings.counters.key_file = directory.file("site.key");
  desk = std::make_unique<ReportDesk>(clock, random, logger);
  desk->connect({.store = &store,
                 .counters = [] { return nullptr; },
                 .site = [] { return std::nullopt; },
                 .label = nullptr});
  desk->use(std::make_shared<const Settings>(settings));
  spam("ann", mail(1));
  EXPECT_TRUE(std::filesystem::exists(settings.counters.key_file));
  EXPECT_FALSE(std::filesystem::exists(directory.file("counters")));
}

}  // namespace
}  // namespace shingled::milter::reports
