#include "config/promotions/judgement_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "config/promotions/replaced_file.h"
#include "tests/support/temporary_directory.h"

namespace shingled::config {
namespace {

Judgements one_rule() {
  Judgements out{.judged = WallTime(std::chrono::seconds(99)), .messages = 7, .unreported = 6};
  out.rules.push_back({.name = "A", .identity = 3, .stage = RuleStage::kProposed});
  return out;
}

TEST(JudgementFile, IsBesideTheHistory) {
  EXPECT_EQ(judgement_file({.file = "/var/lib/shingled/history.db"}),
            "/var/lib/shingled/history.db.judgements");
}

TEST(JudgementFile, IsReadAsItWasWritten) {
  const shingled::testing::TemporaryDirectory folder;
  const std::string file = folder.file("judgements");
  const auto none = read_judgements(file);
  ASSERT_TRUE(none);
  EXPECT_EQ(*none, Judgements{}) << "without a file nothing was judged";
  ASSERT_TRUE(write_judgements(file, Judgements{}));
  ASSERT_TRUE(write_judgements(file, one_rule()));
  const auto read = read_judgements(file);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, one_rule());
}

TEST(JudgementFile, IsSetAsideWhenItCannotBeRead) {
  const shingled::testing::TemporaryDirectory folder;
  const std::string file = folder.file("judgements");
  std::ofstream(file) << "something else\n";
  const auto read = read_judgements(file);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(read.error().message.find(file), std::string::npos);
  const auto aside = set_aside(file);
  ASSERT_TRUE(aside);
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(std::filesystem::file_size(*aside), 15U);
}

TEST(JudgementFile, AFolderThatIsNotThereIsAnError) {
  EXPECT_FALSE(write_judgements("/nonexistent/judgements", {}));
}

}  // namespace
}  // namespace shingled::config
