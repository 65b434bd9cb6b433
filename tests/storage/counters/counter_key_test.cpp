#include "storage/counters/counter_key.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/seeded_random.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::counters {
namespace {

using testing::SeededRandom;
using testing::TemporaryDirectory;

void write(const std::string& path, const std::string& text, mode_t mode) {
  std::ofstream(path) << text;
  ASSERT_EQ(::chmod(path.c_str(), mode), 0);
}

TEST(CounterKeyFile, IsMadeOnceAndReadAfterwards) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("counters.key");
  SeededRandom random(1);
  const auto made = read_or_make_key(path, random);
  ASSERT_TRUE(made) << made.error().message;
  struct stat about {};
  ASSERT_EQ(::stat(path.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
  EXPECT_EQ(about.st_size, 33);
  const auto again = read_or_make_key(path, random);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *made);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1);
}

TEST(CounterKeyFile, ThatIsWrongIsAnErrorThatNamesItAndNotTheKey) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("counters.key");
  const std::string right = "000102030405060708090a0b0c0d0e0f";
  struct Case {
    const char* why;
    std::string text;
    mode_t mode;
    ErrorCode code;
  };
  const Case kCases[] = {
      {"empty", "", 0600, ErrorCode::kInvalid},
      {"a digit less", right.substr(1) + "\n", 0600, ErrorCode::kInvalid},
      {"a byte less", right.substr(2) + "\n", 0600, ErrorCode::kInvalid},
      {"a byte more", right + "00\n", 0600, ErrorCode::kInvalid},
      {"not hexadecimal", right.substr(1) + "g\n", 0600, ErrorCode::kInvalid},
      {"two lines", right + "\n" + right + "\n", 0600, ErrorCode::kInvalid},
      {"the group may read it", right + "\n", 0640, ErrorCode::kDenied},
      {"everybody may read it", right + "\n", 0604, ErrorCode::kDenied},
  };
  SeededRandom random(1);
  for (const Case& c : kCases) {
    write(path, c.text, c.mode);
    const auto key = read_or_make_key(path, random);
    ASSERT_FALSE(key) << c.why;
    EXPECT_EQ(key.error().code, c.code) << c.why;
    EXPECT_NE(key.error().message.find(path), std::string::npos) << c.why;
    EXPECT_EQ(key.error().message.find(right.substr(2, 8)), std::string::npos) << c.why;
  }
  write(path, right, 0400);  // the line end may be missing
  const auto key = read_or_make_key(path, random);
  ASSERT_TRUE(key);
  EXPECT_EQ(key->back(), 15);
}

TEST(CounterKeyFile, ThatCannotBeMadeIsAnError) {
  const TemporaryDirectory directory;
  SeededRandom random(1);
  const auto key = read_or_make_key(directory.file("missing/counters.key"), random);
  ASSERT_FALSE(key);
  EXPECT_EQ(key.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace shingled::storage::counters
