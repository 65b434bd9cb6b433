#include "milter/setup/machine.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace shingled::milter::setup {
namespace {

class MachineTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_ =
      (std::filesystem::temp_directory_path() / ("machine-" + std::to_string(::getpid()))).string();
  std::unique_ptr<Machine> machine_ = this_machine();
};

TEST_F(MachineTest, RunsPrograms) {
  const auto said = machine_->run({"echo", "a b", "c"});
  ASSERT_TRUE(said);
  EXPECT_EQ(*said, "a b c\n");
  EXPECT_EQ(machine_->run({"cat"}).value(), "") << "there is no input";
  const auto failed = machine_->run({"sh", "-c", "echo first >&2; echo second >&2; exit 3"});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kInvalid);
  EXPECT_EQ(failed.error().message, "sh: first");
  EXPECT_EQ(machine_->run({"sh", "-c", "exit 3"}).error().message,
            "sh: it failed without a reason");
  EXPECT_EQ(machine_->run({"no-such-program-here"}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(machine_->run({"sh", "-c", "head -c 1000000 /dev/zero"}).value().size(), 1'000'000U);
}

TEST_F(MachineTest, KeepsTheModeOfFiles) {
  const std::string path = folder_ + "/main.cf";
  ASSERT_TRUE(machine_->write(path, "old"));
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  ASSERT_TRUE(machine_->copy(path, path + ".copy"));
  ASSERT_TRUE(machine_->write(path, "new"));
  EXPECT_EQ(machine_->read(path).value(), "new");
  EXPECT_EQ(machine_->read(path + ".copy").value(), "old");
  for (const std::string& file : {path, path + ".copy"}) {
    struct stat facts {};
    ASSERT_EQ(::stat(file.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 07777U, 0640U);
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 2);
}

TEST_F(MachineTest, KnowsWhichFileIsNewer) {
  ASSERT_TRUE(machine_->write(folder_ + "/a", ""));
  ASSERT_TRUE(machine_->write(folder_ + "/b", ""));
  const timespec times[2] = {{1000, 0}, {1000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (folder_ + "/a").c_str(), times, 0), 0);
  EXPECT_TRUE(machine_->is_newer(folder_ + "/b", folder_ + "/a"));
  EXPECT_FALSE(machine_->is_newer(folder_ + "/a", folder_ + "/b"));
  EXPECT_FALSE(machine_->is_newer(folder_ + "/c", folder_ + "/a"));
  EXPECT_FALSE(machine_->is_newer(folder_ + "/a", folder_ + "/c"));
}

TEST_F(MachineTest, ALinkStaysALink) {
  ASSERT_TRUE(machine_->write(folder_ + "/real", "old"));
  const std::string link = folder_ + "/link";
  ASSERT_EQ(::symlink("real", link.c_str()), 0);
  EXPECT_TRUE(machine_->is_link(link));
  ASSERT_TRUE(machine_->copy(link, link + ".copy"));
  ASSERT_TRUE(machine_->write(link, "new"));
  EXPECT_TRUE(machine_->is_link(link));
  EXPECT_FALSE(machine_->is_link(link + ".copy"));
  EXPECT_EQ(machine_->read(folder_ + "/real").value(), "new");
  EXPECT_EQ(machine_->read(link + ".copy").value(), "old");
}

TEST_F(MachineTest, WhatIsNotThereIsAnError) {
  EXPECT_EQ(machine_->read(folder_ + "/x").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(machine_->copy(folder_ + "/x", folder_ + "/y").error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(machine_->write(folder_ + "/no/folder", "x"));
}

}  // namespace
}  // namespace shingled::milter::setup
