// Covers config/system/file_system.cpp, config/system/mapped_read.cpp.
#include "config/system/file_system.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "config/system/mapped_read.h"
#include "tests/support/temporary_directory.h"

namespace shingled {
namespace {

using testing::TemporaryDirectory;

Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

TEST(FolderFiles, HaveWhatWasAppended) {
  const TemporaryDirectory directory;
  const auto files = folder_files(directory.path());
  auto file = files->create("a.tmp");
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->append(bytes_of("one ")));
  ASSERT_TRUE((*file)->append(bytes_of("two")));
  EXPECT_EQ((*file)->size(), 7U);
  ASSERT_TRUE((*file)->sync());
  ASSERT_TRUE(files->rename("a.tmp", "a"));
  ASSERT_TRUE(files->sync_names());
  EXPECT_EQ(*files->names(), std::vector<std::string>{"a"});
  const auto mapped = files->map("a");
  ASSERT_TRUE(mapped);
  EXPECT_EQ(as_text((*mapped)->bytes()), "one two");
  struct stat about {};
  ASSERT_EQ(::stat(directory.file("a").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0640U);
  ASSERT_TRUE(files->remove("a"));
  EXPECT_TRUE(files->remove("a")) << "it is gone already";
  EXPECT_TRUE(files->names()->empty());
}

TEST(FolderFiles, FileOfAnEarlierProcessCanBeSynced) {
  const TemporaryDirectory directory;
  const auto files = folder_files(directory.path());
  ASSERT_TRUE((*files->create("a"))->append(bytes_of("one")));
  EXPECT_TRUE(files->sync("a"));
  EXPECT_TRUE(files->sync("b")) << "it is not there";
  ASSERT_EQ(::symlink("a", directory.file("link").c_str()), 0);
  EXPECT_FALSE(files->sync("link"));
}

TEST(FolderFiles, EmptyFileCanBeMapped) {
  const TemporaryDirectory directory;
  const auto files = folder_files(directory.path());
  ASSERT_TRUE(files->create("a"));
  const auto mapped = files->map("a");
  ASSERT_TRUE(mapped);
  EXPECT_TRUE((*mapped)->bytes().empty());
}

TEST(FolderFiles, OnlyRegularFilesAreMapped) {
  const TemporaryDirectory directory;
  const auto files = folder_files(directory.path());
  ASSERT_TRUE(files->create("a"));
  ASSERT_EQ(::symlink("a", directory.file("link").c_str()), 0);
  ASSERT_EQ(::mkfifo(directory.file("pipe").c_str(), 0600), 0);
  ASSERT_EQ(::mkdir(directory.file("folder").c_str(), 0700), 0);
  for (const char* name : {"link", "pipe", "folder"}) {
    EXPECT_EQ(files->map(name).error().code, ErrorCode::kCorrupt) << name;
  }
}

TEST(FolderFiles, SayWhatIsWrong) {
  const TemporaryDirectory directory;
  const auto files = folder_files(directory.file("missing"));
  EXPECT_EQ(files->create("a").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(files->map("a").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(files->names().error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(files->rename("a", "b"));
  EXPECT_FALSE(files->sync_names());
}

TEST(FolderFiles, WriteThatFailsInTheMiddleLeavesNothing) {
  const TemporaryDirectory directory;
  const auto files = folder_files(directory.path());
  auto file = files->create("a");
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->append(Bytes(1000)));
  // A limit on the size of files cuts a write off as a full disk does.
  struct rlimit before {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = before;
  small.rlim_cur = 1500;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status full = (*file)->append(Bytes(1000));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ((*file)->size(), 1000U);
  struct stat about {};
  ASSERT_EQ(::stat(directory.file("a").c_str(), &about), 0);
  EXPECT_EQ(about.st_size, 1000);
  EXPECT_TRUE((*file)->append(Bytes(10)));
}

TEST(ReadMapped, FailsWhenTheFileBecameShorter) {
  const TemporaryDirectory directory;
  const auto files = folder_files(directory.path());
  auto file = files->create("a");
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->append(Bytes(100'000, 7)));
  const auto mapped = files->map("a");
  ASSERT_TRUE(mapped);
  const BytesView bytes = (*mapped)->bytes();
  int sum = 0;
  EXPECT_TRUE(read_mapped([&] { sum += bytes[99'999]; }));
  EXPECT_EQ(sum, 7);
  ASSERT_EQ(::truncate(directory.file("a").c_str(), 10), 0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(read_mapped([&] { sum += bytes[99'999]; }));
    EXPECT_TRUE(read_mapped([&] { sum += bytes[5]; }));
  }
  EXPECT_EQ(sum, 28);
}

TEST(ReadMappedDeathTest, OtherBusErrorsStillEndTheProcess) {
  EXPECT_EXIT(
      {
        static_cast<void>(read_mapped([] {}));
        ::raise(SIGBUS);
        ::raise(SIGBUS);
      },
      [](int status) { return status != 0; }, "");
}

}  // namespace
}  // namespace shingled
