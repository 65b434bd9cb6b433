// Covers milter/ratelimit/limit_reloader.cpp.
#include "milter/ratelimit/limit_reloader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "milter/ratelimit/message_limit.h"
#include "tests/support/manual_clock.h"
#include "tests/support/seeded_random.h"

namespace shingled::milter::ratelimit {
namespace {

class LimitReloaderTest : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(list_); }

  /// The file is newer each time, also if the file system has coarse times.
  void write_list(const std::string& text) {
    const std::string fresh = list_ + ".new";
    std::ofstream(fresh) << text;
    std::filesystem::rename(fresh, list_);
  }
  MailLimitOptions options() {
    MailLimitOptions out;
    out.rates = {{"to", {BucketPart::kTo}, {1, 0.1}, {}}};
    out.file.clear();
    return out;
  }
  [[nodiscard]] bool takes(const std::string& recipient) const {
    MessageLimit message(reloader_.current().get(), {IpAddress::parse("192.0.2.1"), "", {}});
    return !message.recipient(recipient);
  }

  testing::ManualClock clock_;
  testing::SeededRandom random_{1};
  NullLogger logger_;
  LimitReloader reloader_{clock_, random_, logger_};
  // Only of this process: the other tests of the suite remove theirs at the same time.
  const std::string list_ =
      ::testing::TempDir() + "limit_keeper_list_" + std::to_string(::getpid());
};

TEST_F(LimitReloaderTest, KeepsTheBucketsOverAReload) {
  ASSERT_TRUE(reloader_.use(MailLimitOptions{}));
  EXPECT_EQ(reloader_.current().get(), nullptr) << "nothing is limited";
  EXPECT_EQ(reloader_.store(), nullptr);
  ASSERT_TRUE(reloader_.use(options()));
  EXPECT_TRUE(takes("<a@b>"));
  EXPECT_FALSE(takes("<a@b>"));
  const auto store = reloader_.store();
  auto other = options();
  other.max_rcpts = 9;
  ASSERT_TRUE(reloader_.use(other));
  EXPECT_EQ(reloader_.store(), store);
  EXPECT_EQ(reloader_.current().get()->options().max_rcpts, 9U);
  EXPECT_FALSE(takes("<a@b>"));
}

TEST_F(LimitReloaderTest, ReadsListsAgainWhenTheyChange) {
  auto with_list = options();
  with_list.whitelisted_rcpts_files = {list_};
  const Status missing = reloader_.use(with_list);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, ::testing::HasSubstr(list_));
  EXPECT_EQ(reloader_.current().get(), nullptr);

  write_list("# none yet\n");
  ASSERT_TRUE(reloader_.use(with_list));
  EXPECT_TRUE(takes("<a@b>"));
  EXPECT_FALSE(takes("<a@b>"));
  EXPECT_FALSE(reloader_.refresh()) << "nothing has changed";
  write_list("a@b\n");
  EXPECT_TRUE(reloader_.refresh());
  EXPECT_TRUE(takes("<a@b>"));
  write_list("a@b c@\n");
  reloader_.refresh();
  EXPECT_TRUE(takes("<a@b>")) << "if a list is broken, its last valid version counts";
  EXPECT_TRUE(takes("<c@d>"));
  EXPECT_FALSE(takes("<c@d>"));
}

TEST_F(LimitReloaderTest, ReleasesTheBucketsWhileAMessageIsUnderWay) {
  ASSERT_TRUE(reloader_.use(options()));
  MessageLimit message(reloader_.current().get(), {IpAddress::parse("192.0.2.1"), "", {}});
  EXPECT_FALSE(message.recipient("<a@b>"));
  const std::weak_ptr<storage::buckets::BucketStore> store = reloader_.store();
  reloader_.close();
  EXPECT_TRUE(store.expired());
  message.give_back();
}

}  // namespace
}  // namespace shingled::milter::ratelimit
