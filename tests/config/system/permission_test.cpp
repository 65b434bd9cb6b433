#include "config/system/permission.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.h"

namespace shingled {
namespace {

using ::testing::HasSubstr;

constexpr uid_t kNobody = 65534;

/// A folder DIR/inner with a file in it. Root may do everything, so for the questions it becomes
/// somebody else.
class MissingPermission : public ::testing::Test {
 protected:
  void SetUp() override {
    inner_ = outer_ + "/inner";
    file_ = inner_ + "/file";
    ASSERT_TRUE(std::filesystem::create_directory(inner_));
    std::ofstream(file_) << "x";
    ::chmod(outer_.c_str(), 0755);
    ::chmod(inner_.c_str(), 0755);
    ::chmod(file_.c_str(), 0644);
  }
  void TearDown() override { ::chmod(inner_.c_str(), 0755); }

  static bool is_root() { return ::geteuid() == 0; }

  static std::string ask(const std::string& path, int mode) {
    const bool root = is_root();
    if (root && ::seteuid(kNobody) != 0) return "cannot become nobody";
    const auto why = missing_permission(path, mode);
    if (root && ::seteuid(0) != 0) return "cannot become root again";
    return why.value_or("");
  }

  /// Whose things those of this test are, as the text has it.
  static std::string owner_text() { return is_root() ? "belongs to root" : "is ours"; }

  const shingled::testing::TemporaryDirectory directory_;
  const std::string outer_ = directory_.path();
  std::string inner_, file_;
};

TEST_F(MissingPermission, IsNotWhatIsMissingWhereItIsAllowedOrNotThere) {
  EXPECT_EQ(ask(file_, R_OK), "");
  EXPECT_EQ(ask(inner_ + "/nothing", R_OK), "");
  EXPECT_EQ(ask(file_ + "/below-a-file", R_OK), "");
}

TEST_F(MissingPermission, NamesTheFileItsOwnerAndTheUserToRunAs) {
  ASSERT_EQ(::chmod(file_.c_str(), 0), 0);
  const std::string why = ask(file_, R_OK);
  EXPECT_THAT(why, HasSubstr("permission denied: " + file_ + " " + owner_text()));
  if (is_root()) {
    EXPECT_THAT(why, HasSubstr("sudo -u root shingled"));
  }
}

TEST_F(MissingPermission, NamesTheFolderThatIsClosedAndNotWhatNobodySees) {
  ASSERT_EQ(::chmod(inner_.c_str(), 0), 0);
  for (const std::string& path : {file_, inner_ + "/nothing", inner_ + "/a/b/c"}) {
    EXPECT_THAT(ask(path, R_OK), HasSubstr("permission denied: " + inner_ + " " + owner_text()));
  }
}

TEST(ModeText, HasFourOctalDigits) {
  EXPECT_EQ(mode_text(0), "0000");
  EXPECT_EQ(mode_text(0640), "0640");
  EXPECT_EQ(mode_text(04755), "4755");
  EXPECT_EQ(mode_text(S_IFREG | 0600), "0600") << "not the kind of the file";
}

TEST_F(MissingPermission, ReadingIsNotWriting) {
  ASSERT_EQ(::chmod(file_.c_str(), 0444), 0);
  EXPECT_EQ(ask(file_, R_OK), "");
  EXPECT_THAT(ask(file_, R_OK | W_OK), HasSubstr(file_ + " " + owner_text()));
}

}  // namespace
}  // namespace shingled
