// Covers config/system/permission.cpp.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "config/system/permission.h"
#include "config/system/unique_fd.h"
#include "tests/support/temporary_directory.h"

namespace shingled {
namespace {

using testing::TemporaryDirectory;

TEST(FolderOwner, GetsWhatRootMade) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  constexpr uid_t kDaemon = 65534;
  const TemporaryDirectory directory;
  for (const uid_t owner : {uid_t{0}, kDaemon}) {
    ASSERT_EQ(::chown(directory.path().c_str(), owner, owner), 0);
    const std::string path = directory.file("a" + std::to_string(owner));
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0640));
    ASSERT_TRUE(file);
    give_to_folder_owner(file.get(), path);
    struct stat about {};
    ASSERT_EQ(::fstat(file.get(), &about), 0);
    EXPECT_EQ(about.st_uid, owner);
    EXPECT_EQ(about.st_gid, owner);
  }
}

}  // namespace
}  // namespace shingled
