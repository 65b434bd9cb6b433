#include "milter/http/access_keys.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/support/temporary_directory.h"

namespace shingled::milter::http {
namespace {

class AccessKeysTest : public ::testing::Test {
 protected:
  Result<std::unique_ptr<AccessKeys>> open(const std::string& text, mode_t mode = 0600) {
    const std::string path = directory_.file("keys");
    std::ofstream(path) << text;
    ::chmod(path.c_str(), mode);
    return AccessKeys::open(path);
  }
  testing::TemporaryDirectory directory_;
};

TEST_F(AccessKeysTest, AcceptsEachKeyOfTheFileAndNothingElse) {
  const auto keys = open("# made today\n\n0123456789abcdef\r\nanother.key/of+us=\n");
  ASSERT_TRUE(keys) << keys.error().message;
  for (const char* key : {"0123456789abcdef", "another.key/of+us="})
    EXPECT_TRUE((*keys)->accept(key)) << key;
  for (const char* key : {"", "0123456789abcde", "0123456789abcdeg", "0123456789abcdefg",
                          "# made today", "0123456789ABCDEF", "0123456789abcdef\r"})
    EXPECT_FALSE((*keys)->accept(key)) << key;
  EXPECT_FALSE((*keys)->accept(std::string(100'000, 'a')));
}

TEST_F(AccessKeysTest, RefusesAFileThatIsWrong) {
  struct Case {
    const char* why;
    std::string text;
    mode_t mode;
    ErrorCode code;
  };
  const Case cases[] = {
      {"others may read it", "0123456789abcdef\n", 0640, ErrorCode::kDenied},
      {"15 characters", "0123456789abcde\n", 0600, ErrorCode::kInvalid},
      {"257 characters", std::string(257, 'k'), 0600, ErrorCode::kInvalid},
      {"a blank", "0123456789 abcdef\n", 0600, ErrorCode::kInvalid},
      {"not ASCII",
       "0123456789abcd\xC3\xA9"
       "f\n",
       0600, ErrorCode::kInvalid},
      {"no key", "# 0123456789abcdef\n", 0600, ErrorCode::kInvalid},
      {"too long", std::string(70'000, '#'), 0600, ErrorCode::kLimit},
  };
  for (const Case& test : cases) {
    const auto keys = open(test.text, test.mode);
    ASSERT_FALSE(keys) << test.why;
    EXPECT_EQ(keys.error().code, test.code) << test.why << ": " << keys.error().message;
    EXPECT_EQ(keys.error().message.find("0123"), std::string::npos) << "a key is never shown";
  }
  EXPECT_EQ(AccessKeys::open(directory_.file("none")).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace shingled::milter::http
