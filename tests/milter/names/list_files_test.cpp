// Covers milter/names/list_files.cpp.
#include "milter/names/list_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace shingled::milter::names {
namespace {

using ::testing::HasSubstr;

class KeptLog final : public Logger {
 public:
  void write(LogLevel /*level*/, std::string_view line) override { text += line; }
  [[nodiscard]] bool enabled(LogLevel /*level*/) const override { return true; }

  std::string text;
};

class ListFilesTest : public ::testing::Test {
 protected:
  ListFilesTest() { std::filesystem::create_directories(folder_); }
  ~ListFilesTest() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& text) const {
    std::ofstream(file_.path + ".new") << text;
    std::filesystem::rename(file_.path + ".new", file_.path);
  }
  [[nodiscard]] bool has(const std::string& address) const {
    const auto lists = files_.current()->get();
    const NameList* const list = lists->find(file_);
    return list != nullptr && list->find(Name::kFrom, address).has_value();
  }

  const std::string folder_ = ::testing::TempDir() + "/lists" + std::to_string(::getpid());
  const ListFile file_ = {folder_ + "/allow.list", {ListForm::Kind::kAllow, {}}};
  KeptLog log_;
  ListFiles files_{log_};
};

TEST_F(ListFilesTest, AreReadAgainWhenTheyChange) {
  files_.use({file_});
  EXPECT_FALSE(has("a@b.example"));
  EXPECT_NE(files_.current()->get()->find(file_), nullptr) << "no file is an empty list";
  write("from a@b.example\n");
  files_.refresh();
  EXPECT_TRUE(has("a@b.example"));
  write("form c@b.example\nfrom d@b.example\n");
  files_.refresh();
  EXPECT_FALSE(has("a@b.example"));
  EXPECT_TRUE(has("d@b.example"));
  EXPECT_THAT(log_.text, HasSubstr("line=1"));
  std::filesystem::remove(file_.path);
  files_.refresh();
  EXPECT_FALSE(has("d@b.example"));
}

TEST_F(ListFilesTest, KeepTheirContentWhenTheyCannotBeRead) {
  write("from a@b.example\n");
  files_.use({file_});
  std::filesystem::remove(file_.path);
  std::filesystem::create_directory(file_.path);
  files_.refresh();
  EXPECT_TRUE(has("a@b.example"));
  EXPECT_THAT(log_.text, HasSubstr("list_kept"));
}

TEST_F(ListFilesTest, TellBeforeTheStartWhatIsWrong) {
  const ListFile of_rule{folder_ + "/none.list", {ListForm::Kind::kOne, Name::kFrom}};
  write("from a@b.example\nclient 0.0.0.0/0\n");
  const auto problems = list_problems(std::vector{file_, of_rule});
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_FALSE(problems[0].is_error());
  EXPECT_EQ(problems[0].line, 2);
  EXPECT_TRUE(problems[1].is_error());
  EXPECT_THAT(problems[1].what, HasSubstr("does not exist"));
}

}  // namespace
}  // namespace shingled::milter::names
