#include "milter/backup/renames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/support/temporary_directory.h"

namespace shingled::milter::backup {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;

class RenamesTest : public ::testing::Test {
 protected:
  std::string put(const std::string& name) {
    const std::string path = directory_.file(name);
    std::ofstream(path) << name;
    return path;
  }
  std::string text(const std::string& name) { return content()[name]; }
  /// All files by their names.
  std::map<std::string, std::string> content() {
    std::map<std::string, std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      out[entry.path().filename().string()] = text.str();
    }
    return out;
  }

  shingled::testing::TemporaryDirectory directory_;
  const std::string journal_ = directory_.file("restore.journal");
};

TEST_F(RenamesTest, StayWhenTheyAreKept) {
  const std::string old = put("data");
  const std::string fresh = put("data.new");
  {
    Renames renames(journal_);
    renames.add(old, old + ".old");
    renames.add(fresh, old);
    renames.add_if_there(old + "-wal", old + ".old-wal");
    ASSERT_TRUE(renames.make());
    ASSERT_TRUE(renames.keep());
  }
  EXPECT_EQ(text("data"), "data.new");
  EXPECT_EQ(text("data.old"), "data");
  EXPECT_THAT(content(), Not(Contains(Key("restore.journal"))));
}

TEST_F(RenamesTest, AreUndoneOtherwise) {
  const std::string old = put("data");
  const std::string fresh = put("data.new");
  const std::string other = put("other");
  const auto before = content();
  for (const auto& [from, to, code] :
       {std::tuple{directory_.file("missing"), directory_.file("x"), ErrorCode::kNotFound},
        std::tuple{other, old, ErrorCode::kInvalid}}) {
    Renames renames(journal_);
    renames.add(old, old + ".old");
    renames.add(fresh, old);
    renames.add(from, to);
    EXPECT_EQ(renames.make().error().code, code);
  }
  {
    Renames renames(journal_);
    renames.add(old, old + ".old");
    ASSERT_TRUE(renames.make());
  }
  EXPECT_EQ(content(), before);
}

TEST_F(RenamesTest, AreTakenBackAfterTheProcessDiedWherever) {
  const std::string old = put("data");
  const std::string fresh = put("data.new");
  const std::string other = put("other");
  const auto before = content();
  const std::vector<std::pair<std::string, std::string>> steps = {
      {old, old + ".old"}, {fresh, old}, {other, directory_.file("moved")}};
  for (std::size_t made = 0; made <= steps.size(); ++made) {
    const auto die = [&] {
      Renames renames(journal_);
      for (const auto& [from, to] : steps) renames.add(from, to);
      const bool done = static_cast<bool>(renames.make());
      for (std::size_t i = steps.size(); i > made; --i)
        std::filesystem::rename(steps[i - 1].second, steps[i - 1].first);
      ::_exit(done ? 0 : 1);
    };
    EXPECT_EXIT(die(), ::testing::ExitedWithCode(0), "");
    EXPECT_THAT(content(), Contains(Key("restore.journal"))) << made;
    ASSERT_TRUE(Renames::take_back(journal_)) << made;
    EXPECT_EQ(content(), before) << made;
    EXPECT_TRUE(Renames::take_back(journal_)) << "no journal: nothing to do";
  }
}

TEST_F(RenamesTest, LeaveNoJournalThatWasNotFinished) {
  put("restore.journal.new");
  ASSERT_TRUE(Renames::take_back(journal_));
  EXPECT_TRUE(content().empty());
}

TEST_F(RenamesTest, AreNotGuessedOfAnotherFile) {
  put("data");
  for (const std::string& wrong : {std::string("text"), std::string("one\0", 4)}) {
    std::ofstream(journal_) << wrong;
    const Status refused = Renames::take_back(journal_);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(refused.error().message, HasSubstr("is not the journal of a restore"));
    EXPECT_THAT(content(), Contains(Key("restore.journal")));
  }
}

}  // namespace
}  // namespace shingled::milter::backup
