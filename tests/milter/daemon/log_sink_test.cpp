#include "milter/process/log_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "milter/process/repeat_filter.h"
#include "tests/milter/filter/manual_clock.h"

namespace shingled::milter {
namespace {

class LogSinkTest : public testing::Test {
 protected:
  LogSinkTest() {
    char name[] = "/tmp/shingled-log-XXXXXX";
    directory_ = ::mkdtemp(name);
    file_ = directory_ + "/log";
  }
  ~LogSinkTest() override { std::filesystem::remove_all(directory_); }
  static std::string read(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  std::string directory_;
  std::string file_;
  ManualClock clock_;
};

TEST_F(LogSinkTest, WritesWhatItsLevelAllows) {
  auto sink = LogSink::open(file_, LogLevel::kInfo, clock_);
  ASSERT_TRUE(sink.has_value());
  (*sink)->debug(LogLine("quiet"));
  (*sink)->info(LogLine("event").field("key", "{} is no format"));
  EXPECT_THAT(read(file_), testing::HasSubstr(" info event key=\"{} is no format\"\n"));
  (*sink)->set_level(LogLevel::kDebug);
  (*sink)->debug(LogLine("loud"));
  EXPECT_THAT(read(file_), testing::AllOf(testing::HasSubstr("debug loud"),
                                          testing::Not(testing::HasSubstr("quiet"))));
}

TEST_F(LogSinkTest, NamesAFileItCannotOpen) {
  std::ofstream(directory_ + "/file") << "x";
  const auto sink = LogSink::open(directory_ + "/file/log", LogLevel::kInfo, clock_);
  ASSERT_FALSE(sink.has_value());
  EXPECT_THAT(sink.error().message, testing::HasSubstr(directory_ + "/file/log"));
}

TEST_F(LogSinkTest, HoldsBackAWarningThatRepeatsItself) {
  auto sink = LogSink::open(file_, LogLevel::kInfo, clock_);
  for (int i = 0; i < 100; ++i) (*sink)->warning(LogLine("down").field("server", "a"));
  (*sink)->warning(LogLine("down").field("server", "b"));
  clock_.advance(std::chrono::minutes(1));
  (*sink)->warning(LogLine("down").field("server", "a"));
  const std::string text = read(file_);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_THAT(text, testing::HasSubstr("down server=a repeated=99\n"));
}

TEST(RepeatFilter, IsBounded) {
  RepeatFilter filter;
  const TimePoint now{};
  for (int i = 0; i < 10'000; ++i) EXPECT_EQ(filter.admit(std::to_string(i), now), 0U);
  EXPECT_EQ(filter.admit("9999", now), std::nullopt);
}

TEST_F(LogSinkTest, LosesNoLineWhileItIsReopened) {
  auto sink = LogSink::open(file_, LogLevel::kInfo, clock_);
  ASSERT_TRUE(sink.has_value());
  constexpr int kLines = 500;
  {
    std::vector<std::jthread> writers;
    for (int t = 0; t < 2; ++t) {
      writers.emplace_back([&] {
        for (int i = 0; i < kLines; ++i) (*sink)->info(LogLine("x"));
      });
    }
    for (int i = 0; i < 20; ++i) EXPECT_TRUE((*sink)->reopen().has_value());
  }
  const std::string text = read(file_);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2 * kLines);
}

}  // namespace
}  // namespace shingled::milter
