// Covers storage/sqlite/reports/change_feed.cpp, and what ReportDesk tells other daemons.
#include <gtest/gtest.h>

#include "storage/sqlite/base/database.h"
#include "tests/milter/reports/desk.h"

namespace shingled::milter::reports {
namespace {

using storage::sqlite::ReportChange;
using ChangeWhat = ReportChange::What;

struct ChangesAtTheDesk : Desk {
  void SetUp() override {
    settings.reports.trusted_reporters = {"boss"};
    settings.reports.domain = "example.org";
    Desk::SetUp();
  }
  ReportChanges after(const std::string& cursor, std::size_t most = 100) {
    const auto found = desk->changes(cursor, most);
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : ReportChanges{};
  }
  static std::vector<ChangeWhat> whats(const ReportChanges& changes) {
    std::vector<ChangeWhat> out;
    for (const ReportChange& change : changes.page.changes) out.push_back(change.what);
    return out;
  }
};

TEST_F(ChangesAtTheDesk, TellLabelsAndWhatIsTaughtNoMore) {
  EXPECT_TRUE(after("").page.changes.empty());
  EXPECT_EQ(after("").page.next, "");
  spam("ann", mail(1));
  const ReportChanges first = after("");
  ASSERT_EQ(whats(first), std::vector{ChangeWhat::kLabel});
  EXPECT_EQ(first.page.changes[0].message, labels.back().first);
  EXPECT_EQ(first.page.changes[0].value, 1U);
  EXPECT_EQ(first.site, site_id(kTestSite));
  EXPECT_FALSE(first.page.is_anew);

  spam("ann", mail(1));
  EXPECT_TRUE(after(first.page.next).page.changes.empty()) << "the same again says nothing new";
  spam("boss", mail(1));
  ASSERT_GT(weight(mail(1)), 0);
  ham("boss", mail(1));
  const ReportChanges rest = after(first.page.next);
  const auto kinds = whats(rest);
  EXPECT_NE(std::ranges::find(kinds, ChangeWhat::kWithdrawn), kinds.end());
  EXPECT_NE(std::ranges::find(kinds, ChangeWhat::kClosed), kinds.end());
  EXPECT_EQ(weight(mail(1)), 0);
  EXPECT_EQ(kinds.back(), ChangeWhat::kLabel);
  EXPECT_EQ(rest.page.changes.back().value, 0U);
}

TEST_F(ChangesAtTheDesk, ComeInPagesAndOverARestart) {
  for (int i = 0; i < 5; ++i) spam("ann", mail(i, "Text " + std::to_string(i) + kOffer));
  std::string cursor;
  std::size_t seen = 0;
  for (;;) {
    const ReportChanges page = after(cursor, 2);
    EXPECT_LE(page.page.changes.size(), 2U);
    seen += page.page.changes.size();
    cursor = page.page.next;
    open();
    if (!page.page.has_more) break;
  }
  EXPECT_EQ(seen, 5U);
  EXPECT_TRUE(after(cursor).page.changes.empty());
  const auto wrong = desk->changes("5", 2);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::kInvalid);
}

TEST_F(ChangesAtTheDesk, AnotherFileIsNoticed) {
  spam("ann", mail(1));
  const std::string cursor = after("").page.next;
  desk.reset();
  for (const char* end : {"", "-wal", "-shm"})
    static_cast<void>(std::remove((settings.reports.file + end).c_str()));
  open();
  const ReportChanges none = after(cursor);
  EXPECT_TRUE(none.page.is_anew);
  EXPECT_EQ(none.page.next, "");
  spam("bob", mail(2));
  const ReportChanges anew = after(cursor);
  EXPECT_TRUE(anew.page.is_anew) << "a change has the same number, and another mark";
  EXPECT_EQ(anew.page.changes.size(), 1U);
}

TEST(ChangeFeed, KeepsTheNewest) {
  using storage::sqlite::ChangeFeed;
  using storage::sqlite::Database;
  const testing::TemporaryDirectory directory;
  auto database = Database::open(directory.file("x.db"), Database::Access::kCreate);
  ASSERT_TRUE(database && (*database)->execute(ChangeFeed::kTables) &&
              (*database)->execute("PRAGMA synchronous = OFF; BEGIN"));
  auto feed = ChangeFeed::open(**database);
  ASSERT_TRUE(feed);
  ReportChange change;
  ASSERT_TRUE(feed->add(change));
  const std::string first = feed->after("", 1)->next;
  for (std::int64_t i = 0; i < ChangeFeed::kKept; ++i) {
    change.message = static_cast<std::uint64_t>(i) + 1;
    ASSERT_TRUE(feed->add(change));
  }
  const auto page = feed->after(first, 1);
  ASSERT_TRUE(page);
  EXPECT_TRUE(page->is_anew) << "the first one is gone: something may have been missed";
  EXPECT_EQ(page->changes[0].message, 1U);
  EXPECT_TRUE(page->has_more);
}

}  // namespace
}  // namespace shingled::milter::reports
