#include "milter/input/file_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.h"

namespace shingled::milter::input {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class FileTreeTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name)) << name;
  }
  /// Names below the folder, "! reason" behind those that cannot be read.
  [[nodiscard]] std::vector<std::string> names(const std::vector<std::string>& arguments) const {
    std::vector<std::string> out;
    for (const TreeFile& file : files_of(arguments)) {
      std::string name = file.name;
      if (name.starts_with(folder_)) name.erase(0, folder_.size() + 1);
      out.push_back(name + (file.error ? "! " + file.error->message : ""));
    }
    return out;
  }
  const shingled::testing::TemporaryDirectory directory_;
  const std::string folder_ = directory_.path();
};

TEST_F(FileTreeTest, HasAllBelowADirectoryInTheOrderOfTheirBytes) {
  for (const char* name : {"b", "a/2", "a/1/x", ".hidden/y", "B"}) write(name);
  EXPECT_THAT(names({folder_}), ElementsAre(".hidden/y", "B", "a/1/x", "a/2", "b"));
  EXPECT_THAT(names({path("b"), path("a/")}), ElementsAre("b", "a/1/x", "a/2"))
      << "arguments as they stand";
}

TEST_F(FileTreeTest, FollowsLinksToFilesOnly) {
  write("d/file");
  fs::create_symlink("file", path("d/link"));
  fs::create_symlink("..", path("d/loop"));
  fs::create_symlink("nothing", path("d/dangling"));
  EXPECT_THAT(names({path("d")}), ElementsAre("d/file", "d/link"));
  fs::create_symlink("d", path("given"));
  EXPECT_THAT(names({path("given")}), ElementsAre("given/file", "given/link"))
      << "an argument is followed";
}

TEST_F(FileTreeTest, LeavesOutWhatMayNeverEnd) {
  write("d/file");
  ASSERT_EQ(::mkfifo(path("d/pipe").c_str(), 0600), 0);
  EXPECT_THAT(names({path("d")}), ElementsAre("d/file"));
  EXPECT_THAT(names({path("d/pipe")}), ElementsAre("d/pipe")) << "who names it wants it";
}

TEST_F(FileTreeTest, ReportsWhatCannotBeReadAndGoesOn) {
  write("a");
  EXPECT_THAT(names({path("none"), path("a"), "-"}),
              ElementsAre("none! No such file or directory", "a", "-"));
  if (::geteuid() == 0) return;  // who may read everything
  write("shut/b");
  fs::permissions(path("shut"), fs::perms::none);
  EXPECT_THAT(names({folder_}), ElementsAre("a", "shut! Permission denied"));
  fs::permissions(path("shut"), fs::perms::owner_all);
}

}  // namespace
}  // namespace shingled::milter::input
