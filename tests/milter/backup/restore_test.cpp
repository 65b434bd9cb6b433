// Covers milter/backup/stored_backup.cpp, milter/backup/restore_plan.cpp,
// milter/backup/stopped_site.cpp.
#include "milter/backup/restore.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "milter/backup/renames.h"
#include "tests/milter/backup/filled_site.h"

namespace shingled::milter::backup {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(BackupTest, IsFoundOnAnotherMachine) {
  const auto taken = take(true);
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_EQ(taken->manifest.find("hashes")->count, 7U);
  EXPECT_TRUE(taken->manifest.key_mark);
  const auto restored = put_back(to_);
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_THAT(restored->left_out, IsEmpty());
  EXPECT_EQ(to_.hashes(), 7);
  EXPECT_EQ(to_.number_in("counters/people.db"), 2);
  EXPECT_EQ(to_.number_in("history.db"), 3);
  EXPECT_EQ(to_.number_in("reports.db"), 4);
  EXPECT_EQ(to_.number_in("similar.db"), 5);
  EXPECT_EQ(to_.number_in("ratelimit.db"), 6);
  EXPECT_THAT(text_of(to_.file("counters/counters.db")), HasSubstr("\"count\":1"));
  EXPECT_EQ(text_of(to_.file("counters/key")), kKey);
  for (const char* name :
       {"model.json", "model.json.before", "model.json.mode", "reports.db.spool/0017-42-1.report"})
    EXPECT_EQ(text_of(to_.file(name)), text_of(from_.file(name))) << name;
  EXPECT_EQ(taken->manifest.find("reports.spool")->count, 1U);
  EXPECT_EQ(text_of(to_.file("allow.list")), "a@example.org\n");
  EXPECT_EQ(text_of(to_.file("etc/http.keys")), "a key\n");
  EXPECT_EQ(text_of(to_.file("etc/shingled.yaml")), "history: {keep: 3d}\n");
  struct stat info {};
  ASSERT_EQ(::stat(to_.file("counters/key").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  for (const char* folder : {"counters", "reports.db.spool"}) {
    ASSERT_EQ(::stat(to_.file(folder).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0700U) << folder;
  }
  for (const auto& [name, text] : to_.content()) EXPECT_FALSE(name.ends_with(".restoring")) << name;
}

TEST_F(BackupTest, OfCountersOfAnotherKeyIsRefusedBeforeAnythingChanges) {
  ASSERT_TRUE(take(false));
  to_.put_key(kOtherKey);
  const auto before = to_.content();
  const auto refused = put_back(to_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalid);
  EXPECT_THAT(refused.error().message, HasSubstr("was counted with another key"));
  EXPECT_THAT(refused.error().message, HasSubstr("--with-keys"));
  EXPECT_EQ(to_.content(), before);
  // Nor with --force: nobody could find what it has.
  EXPECT_FALSE(put_back(to_, {.force = true}));
  const auto rest = put_back(to_, {.without = {"counters", "reports"}});
  ASSERT_TRUE(rest) << rest.error().message;
  EXPECT_EQ(to_.hashes(), 7);
  EXPECT_EQ(text_of(to_.file("counters/key")), kOtherKey);
}

TEST_F(BackupTest, WithoutItsKeyIsRefused) {
  ASSERT_TRUE(take(false));
  const auto refused = put_back(to_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(refused.error().message, HasSubstr("there is no key of the counters"));
  EXPECT_THAT(to_.content(), IsEmpty());
}

TEST_F(BackupTest, GoesToAKeyThatIsThereAlready) {
  ASSERT_TRUE(take(false));
  to_.put_key(kKey);
  const auto restored = put_back(to_);
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(text_of(to_.file("counters/key")), kKey);
  EXPECT_EQ(to_.number_in("counters/people.db"), 2);
  for (const auto& [name, text] : to_.content())
    EXPECT_EQ(name.find(".before-"), std::string::npos) << name;
}

TEST_F(BackupTest, OverwritesNothing) {
  ASSERT_TRUE(take(true));
  Machine other{directory_.file("other")};
  other.put_hashes(2);
  other.put_key(kOtherKey);
  other.put_database("counters/counters.db", 8);
  other.put_database("history.db", 9);
  other.put("etc/shingled.yaml", "history: {keep: 5d}\n");
  const auto before = other.content();
  const auto refused = put_back(other);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("--force"));
  for (const char* name : {"fuzzy.db", "history.db", "counters"})
    EXPECT_THAT(refused.error().message, HasSubstr(other.file(name)));
  EXPECT_EQ(other.content(), before);

  const auto restored = put_back(other, {.force = true});
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(other.hashes(), 7);
  EXPECT_EQ(text_of(other.file("counters/key")), kKey);
  std::map<std::string, std::string> aside;
  for (const RestoredPart& part : restored->parts) aside[part.name] = part.aside;
  EXPECT_EQ(text_of(aside["counters"] + "/key"), kOtherKey);
  for (const char* name : {"hashes", "history"}) EXPECT_TRUE(fs::exists(aside[name])) << name;
  // The settings that stand are for a person to compare.
  EXPECT_EQ(text_of(other.file("etc/shingled.yaml")), "history: {keep: 5d}\n");
  EXPECT_EQ(text_of(other.file("etc/shingled.yaml.restored")), "history: {keep: 3d}\n");
}

// A daemon makes the folder when it starts.
TEST_F(BackupTest, PutsWhatWaitsIntoAnEmptyFolder) {
  ASSERT_TRUE(take(true));
  fs::create_directories(to_.file("reports.db.spool"));
  const auto restored = put_back(to_);
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_TRUE(fs::exists(to_.file("reports.db.spool/0017-42-1.report")));
  for (const RestoredPart& part : restored->parts) EXPECT_EQ(part.aside, "") << part.name;

  to_.put("reports.db.spool/0018-42-1.report", "another one");
  const auto refused = put_back(to_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("reports.db.spool"));
}

// SQLite would read it into the new file.
TEST_F(BackupTest, DoesNotMeetTheLogOfAnotherDatabase) {
  ASSERT_TRUE(take(true));
  to_.put("history.db-wal", "of another one");
  const auto restored = put_back(to_);
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_FALSE(fs::exists(to_.file("history.db-wal")));
  EXPECT_EQ(to_.number_in("history.db"), 3);
}

TEST_F(BackupTest, IsNotPutUnderARunningDaemon) {
  ASSERT_TRUE(take(true));
  Machine other{directory_.file("other")};
  other.put_hashes(2);
  const auto daemon = storage::sqlite::FileLock::take(other.file("fuzzy.db"));
  ASSERT_TRUE(daemon);
  const auto refused = put_back(other, {.force = true});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(refused.error().message, HasSubstr("stop the daemon first"));
  EXPECT_EQ(other.hashes(), 2);
}

TEST_F(BackupTest, ThatWasChangedIsRefused) {
  ASSERT_TRUE(take(true));
  for (const auto& entry : fs::directory_iterator(backup_)) {
    const std::string path = entry.path();
    if (fs::file_size(path) == 0) continue;
    const std::string whole = text_of(path);
    std::string changed = whole;
    changed.back() = static_cast<char>(changed.back() ^ 1);
    for (const std::string& text : {changed, whole.substr(0, whole.size() / 2)}) {
      std::ofstream(path) << text;
      const auto refused = put_back(to_);
      ASSERT_FALSE(refused) << path;
      EXPECT_EQ(refused.error().code, ErrorCode::kCorrupt) << refused.error().message;
      EXPECT_THAT(to_.content(), IsEmpty());
    }
    std::ofstream(path) << whole;
  }
  fs::remove(backup_ + "/history.db");
  EXPECT_THAT(put_back(to_).error().message, HasSubstr("is missing"));
  EXPECT_THAT(StoredBackup::open(directory_.file("nowhere")).error().message,
              HasSubstr("is not a backup"));
}

TEST_F(BackupTest, IsPutBackWholeOrNotAtAll) {
  from_.put("allow.list", std::string(300'000, 'x'));
  ASSERT_TRUE(take(true));
  Machine other{directory_.file("other")};
  other.put_hashes(2);
  const auto before = other.content();
  {
    const SmallDisk disk(200'000);
    const auto refused = put_back(other, {.force = true});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable) << refused.error().message;
  }
  EXPECT_EQ(other.content(), before);
  import_fault_ = "no space left";
  EXPECT_FALSE(put_back(other, {.force = true}));
  EXPECT_EQ(other.content(), before);
  EXPECT_FALSE(fs::exists(other.file("counters"))) << "made for it, and gone";
  import_fault_.clear();
  EXPECT_TRUE(put_back(other, {.force = true}));
}

// It died while names changed: nobody knows which files belong together.
TEST_F(BackupTest, FirstTakesBackWhatADeadRestoreDid) {
  ASSERT_TRUE(take(true));
  Machine other{directory_.file("other")};
  other.put_hashes(2);
  other.put_database("history.db", 9);
  const auto before = other.content();
  const auto die = [&] {
    Renames renames(journal_of(other.settings));
    renames.add(other.file("history.db"), other.file("history.db.before-then"));
    ::_exit(renames.make() ? 0 : 1);
  };
  EXPECT_EXIT(die(), ::testing::ExitedWithCode(0), "");
  EXPECT_FALSE(fs::exists(other.file("history.db")));
  EXPECT_THAT(put_back(other).error().message, HasSubstr("--force"));
  EXPECT_EQ(other.content(), before);
  EXPECT_TRUE(put_back(other, {.force = true}));
}

// A backup says where files were, and not where they go.
TEST_F(BackupTest, PutsNoFileWhereNoSettingSays) {
  from_.put("etc/rules.yaml", "rules: []\n");
  from_.settings.policy.files = {from_.file("etc/rules.yaml")};
  ASSERT_TRUE(take(true));
  to_.put("etc/shingled.yaml", "history: {keep: 5d}\n");
  const auto restored = put_back(to_);
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_THAT(left_out(restored->left_out, "policy.files.1"), HasSubstr("no setting here names"));
}

}  // namespace
}  // namespace shingled::milter::backup
