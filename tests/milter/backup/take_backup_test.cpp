// Covers milter/backup/file_copy.cpp.
#include "milter/backup/take_backup.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "tests/milter/backup/filled_site.h"

namespace shingled::milter::backup {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST_F(BackupTest, IsForItsOwnerAlone) {
  ASSERT_TRUE(take(true));
  struct stat info {};
  ASSERT_EQ(::stat(backup_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
  for (const auto& entry : fs::directory_iterator(backup_)) {
    ASSERT_EQ(::stat(entry.path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U) << entry.path();
  }
}

TEST_F(BackupTest, HasNoSecretsUnlessTold) {
  from_.put("etc/shingled.yaml", "storage: {redis: {password: geheim}}\n");
  const auto taken = take(false);
  ASSERT_TRUE(taken) << taken.error().message;
  for (const char* secret : {"counters.key_file", "http.keys_file", "settings"}) {
    EXPECT_EQ(taken->manifest.find(secret), nullptr) << secret;
    EXPECT_THAT(left_out(taken->manifest.left_out, secret), HasSubstr("--with-keys"));
  }
  for (const auto& entry : fs::directory_iterator(backup_)) {
    const std::string text = text_of(entry.path());
    EXPECT_EQ(text.find("geheim"), std::string::npos) << entry.path();
    EXPECT_EQ(text.find("0011223344"), std::string::npos) << entry.path();
  }
}

TEST_F(BackupTest, SaysWhatItDidNotTake) {
  fs::remove(from_.file("similar.db"));
  const auto taken = take(true, {"history"});
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_EQ(left_out(taken->manifest.left_out, "history"), "as told");
  EXPECT_THAT(left_out(taken->manifest.left_out, "similar"), HasSubstr("there is none yet"));
}

TEST_F(BackupTest, IsNotMadeOfADamagedPart) {
  std::ofstream(from_.file("reports.db")) << std::string(8192, 'x');
  const auto taken = take(true);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(taken.error().message, HasSubstr("--without reports"));
  EXPECT_FALSE(fs::exists(backup_));
  EXPECT_FALSE(fs::exists(backup_ + ".part"));
  EXPECT_TRUE(take(true, {"reports"}));
}

TEST_F(BackupTest, LeavesNothingOnAFullDisk) {
  from_.put("allow.list", std::string(300'000, 'x'));
  {
    const SmallDisk disk(200'000);
    const auto taken = take(true);
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().code, ErrorCode::kUnavailable) << taken.error().message;
  }
  EXPECT_FALSE(fs::exists(backup_));
  EXPECT_FALSE(fs::exists(backup_ + ".part"));
}

TEST_F(BackupTest, EndsWhenItIsToldTo) {
  const auto stop = [](const storage::WorkDone&) { return false; };
  const auto taken = take_backup(
      from_.settings, {backup_, "", true, {}},
      [](const std::string& file) { return export_one(file, kKey); }, clock_, stop);
  ASSERT_FALSE(taken);
  EXPECT_FALSE(fs::exists(backup_));
}

}  // namespace
}  // namespace shingled::milter::backup
