// Covers storage/access/source_limits.cpp.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "storage/access/source_limits.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::access {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr WallTime kSaved{seconds(1'700'000'000)};

SavedLimits some() {
  return {{1, 2, 3},
          24,
          kSaved,
          {{11, seconds(30), seconds(0)}, {12, hours(2), hours(1)}, {13, milliseconds(1500), {}}}};
}

class LimitFileTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }
  shingled::testing::TemporaryDirectory directory_;
  std::string path_ = directory_.file("fuzzy.db.ratelimits");
};

TEST_F(LimitFileTest, LoadsTheSavedBucketsAtTheSameInstant) {
  ASSERT_TRUE(save_limits(path_, some()));
  const auto loaded = load_limits(path_, kSaved);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(*loaded, some());
  struct stat status {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U) << "the file contains a secret key";
  ASSERT_TRUE(save_limits(path_, {})) << "replaces the old file";
  EXPECT_TRUE(load_limits(path_, kSaved)->entries.empty());
}

TEST_F(LimitFileTest, SubtractsTheTimeThatPassed) {
  ASSERT_TRUE(save_limits(path_, some()));
  const auto loaded = load_limits(path_, kSaved + seconds(60));
  ASSERT_TRUE(loaded);
  ASSERT_EQ(loaded->entries.size(), 1U);
  EXPECT_EQ(loaded->entries[0],
            (LimitTable::Entry{12, hours(2) - seconds(60), hours(1) - seconds(60)}));
  EXPECT_EQ(load_limits(path_, kSaved + hours(1) + seconds(5))->entries[0].ban, Duration::zero());
  EXPECT_TRUE(load_limits(path_, kSaved + hours(24))->entries.empty());
  EXPECT_EQ(load_limits(path_, kSaved - hours(24))->entries, some().entries)
      << "if the clock was set back, no time has passed";
}

TEST_F(LimitFileTest, RefusesADamagedFile) {
  EXPECT_EQ(load_limits(path_, kSaved).error().code, ErrorCode::kNotFound);
  ASSERT_TRUE(save_limits(path_, some()));
  const std::string whole = bytes();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write(whole.substr(0, length));
    ASSERT_FALSE(load_limits(path_, kSaved)) << length;
  }
  write(whole + "x");
  EXPECT_EQ(load_limits(path_, kSaved).error().code, ErrorCode::kCorrupt);
  // Any byte may be wrong; the values that are read are still limited.
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    write(damaged);
    const auto loaded = load_limits(path_, kSaved);
    if (!loaded) continue;
    for (const LimitTable::Entry& entry : loaded->entries) {
      EXPECT_GT(entry.empty_in, Duration::zero());
      EXPECT_LE(entry.empty_in, hours(24 * 36500));
      EXPECT_LE(entry.ban, hours(24 * 36500));
    }
  }
}

}  // namespace
}  // namespace shingled::storage::access
