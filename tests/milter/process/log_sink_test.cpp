// Covers milter/process/log_sink.cpp, milter/process/privileges.cpp.
#include "milter/process/log_sink.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>
#include <vector>

#include "config/system/unique_fd.h"
#include "milter/process/privileges.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::process {
namespace {

class LogSinkTest : public ::testing::Test {
 protected:
  static std::string read(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  shingled::testing::TemporaryDirectory folder_;
  const std::string directory_ = folder_.path();
  const std::string file_ = directory_ + "/log";
  shingled::testing::ManualClock clock_;
};

TEST_F(LogSinkTest, WritesTheLinesThatItsLevelAllows) {
  auto sink = LogSink::open(file_, LogLevel::kInfo, clock_);
  ASSERT_TRUE(sink.has_value());
  (*sink)->debug(LogLine("quiet"));
  (*sink)->info(LogLine("event").field("key", "{} is no format"));
  EXPECT_THAT(read(file_), ::testing::HasSubstr(" info event key=\"{} is no format\"\n"));
  (*sink)->set_level(LogLevel::kDebug);
  (*sink)->debug(LogLine("loud"));
  EXPECT_THAT(read(file_), ::testing::AllOf(::testing::HasSubstr("debug loud"),
                                            ::testing::Not(::testing::HasSubstr("quiet"))));
}

TEST_F(LogSinkTest, WritesObjectsThatCollectorsRead) {
  DaemonOptions options;
  options.log_format = LogFormat::kJson;
  auto sink = LogSink::open(file_, LogLevel::kInfo, clock_, options);
  ASSERT_TRUE(sink.has_value());
  (*sink)->info(LogLine("mail").field("queue", "123").field("score", 4.5, 1));
  for (int i = 0; i < 3; ++i) (*sink)->warning(LogLine("odd").field("n", 7));
  clock_.advance(RepeatFilter::kInterval);
  (*sink)->warning(LogLine("odd").field("n", 7));
  const std::string head =
      R"(\{"time":"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{12}[+-][0-9:]{5,6}","level":)";
  EXPECT_THAT(read(file_), ::testing::MatchesRegex(
                               head + R"("info","event":"mail","queue":"123","score":4\.5\})" +
                               "\n" + head + R"("warning","event":"odd","n":7\})" + "\n" + head +
                               R"("warning","event":"odd","n":7,"repeated":2\})" + "\n"));
}

/// Redirects standard error to `file` as long as it exists.
class StandardErrorInto {
 public:
  explicit StandardErrorInto(const std::string& file) : before_(::dup(STDERR_FILENO)) {
    const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    ::dup2(fd.get(), STDERR_FILENO);
  }
  ~StandardErrorInto() { ::dup2(before_.get(), STDERR_FILENO); }
  StandardErrorInto(const StandardErrorInto&) = delete;
  StandardErrorInto& operator=(const StandardErrorInto&) = delete;

 private:
  UniqueFd before_;
};

/// One line of each level, as written to standard error if JOURNAL_STREAM is `stream`.
std::string lines_of_all_levels(const std::string& file, const std::string& stream, Clock& clock) {
  ::setenv("JOURNAL_STREAM", stream.c_str(), 1);
  {
    const StandardErrorInto into(file);
    const auto sink = LogSink::open("", LogLevel::kDebug, clock);
    if (!sink) return sink.error().message;
    (*sink)->debug(LogLine("a"));
    (*sink)->info(LogLine("b"));
    (*sink)->warning(LogLine("c"));
    (*sink)->error(LogLine("d"));
  }
  ::unsetenv("JOURNAL_STREAM");
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(LogSinkTest, TheJournalGetsPrioritiesAndNoTimes) {
  std::ofstream(file_).close();
  struct stat info {};
  ASSERT_EQ(::stat(file_.c_str(), &info), 0);
  const std::string stream = std::to_string(info.st_dev) + ":" + std::to_string(info.st_ino);
  EXPECT_EQ(lines_of_all_levels(file_, stream, clock_),
            "<7>debug a\n<6>info b\n<4>warning c\n<3>error d\n");
}

TEST_F(LogSinkTest, StandardErrorGetsTimesIfItIsNotTheJournal) {
  const std::string text = lines_of_all_levels(file_, "1:1", clock_);
  EXPECT_THAT(text, ::testing::HasSubstr(" error d\n"));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("<")));
}

TEST_F(LogSinkTest, NamesAFileItCannotOpen) {
  std::ofstream(directory_ + "/file") << "x";
  const auto sink = LogSink::open(directory_ + "/file/log", LogLevel::kInfo, clock_);
  ASSERT_FALSE(sink.has_value());
  EXPECT_THAT(sink.error().message, ::testing::HasSubstr(directory_ + "/file/log"));
}

TEST_F(LogSinkTest, ASymbolicLinkIsNotFollowed) {
  const std::string target = directory_ + "/passwd";
  std::ofstream(target) << "root\n";
  std::filesystem::create_symlink(target, file_);
  const auto sink = LogSink::open(file_, LogLevel::kInfo, clock_);
  ASSERT_FALSE(sink.has_value());
  EXPECT_THAT(sink.error().message, ::testing::HasSubstr("symbolic link"));
  EXPECT_EQ(read(target), "root\n");
}

TEST_F(LogSinkTest, ReopensAfterRotationAndKeepsTheOldFileIfItCannot) {
  auto sink = LogSink::open(file_, LogLevel::kInfo, clock_);
  ASSERT_TRUE(sink.has_value());
  (*sink)->info(LogLine("first"));
  std::filesystem::rename(file_, file_ + ".1");
  ASSERT_TRUE((*sink)->reopen());
  (*sink)->info(LogLine("second"));
  EXPECT_THAT(read(file_ + ".1"), ::testing::HasSubstr("first"));
  EXPECT_THAT(read(file_), ::testing::HasSubstr("second"));
  std::filesystem::rename(file_, file_ + ".2");
  std::filesystem::create_symlink(directory_ + "/elsewhere", file_);
  EXPECT_FALSE((*sink)->reopen());
  (*sink)->info(LogLine("third"));
  EXPECT_THAT(read(file_ + ".2"), ::testing::HasSubstr("third"));
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/elsewhere"));
}

TEST_F(LogSinkTest, RefusesAPipeOrAFolder) {
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  EXPECT_FALSE(LogSink::open(file_, LogLevel::kInfo, clock_).has_value());
  EXPECT_FALSE(LogSink::open(directory_, LogLevel::kInfo, clock_).has_value());
}

/// Root that will become `nobody`, like a service that root starts.
class LogOfAnotherUserTest : public LogSinkTest {
 protected:
  void SetUp() override {
    options_.user = "nobody";
    const auto nobody = daemon_identity(options_);
    if (::geteuid() != 0 || !nobody) GTEST_SKIP() << "only root can become another user";
    nobody_ = *nobody;
    ASSERT_EQ(::chmod(directory_.c_str(), 0755), 0);
    theirs_ = directory_ + "/theirs";
    std::filesystem::create_directory(theirs_);
    ASSERT_EQ(::chown(theirs_.c_str(), nobody_.user, nobody_.group), 0);
  }
  [[nodiscard]] uid_t owner_of(const std::string& path) const {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 ? info.st_uid : static_cast<uid_t>(-1);
  }
  DaemonOptions options_;
  Identity nobody_;
  std::string theirs_;
};

TEST_F(LogOfAnotherUserTest, ALinkToAnotherFolderGivesTheUserNothing) {
  const std::string roots = directory_ + "/roots";
  std::filesystem::create_directory(roots);
  std::filesystem::create_directory_symlink(roots, theirs_ + "/log");
  const auto sink = LogSink::open(theirs_ + "/log/cron", LogLevel::kInfo, clock_, options_);
  ASSERT_FALSE(sink.has_value());
  EXPECT_EQ(sink.error().code, ErrorCode::kDenied);
  EXPECT_FALSE(std::filesystem::exists(roots + "/cron"));
}

TEST_F(LogOfAnotherUserTest, TheLogBelongsToTheUser) {
  const std::string file = theirs_ + "/log";
  ASSERT_TRUE(LogSink::open(file, LogLevel::kInfo, clock_, options_).has_value());
  EXPECT_EQ(owner_of(file), nobody_.user);
  EXPECT_EQ(::geteuid(), 0U) << "root has its rights again";
  // A path below /tmp is writable for all. `nobody` may not create a file in this folder, so there
  // is none.
  EXPECT_FALSE(LogSink::open(file_, LogLevel::kInfo, clock_, options_).has_value());
}

TEST_F(LogSinkTest, HoldsBackARepeatedWarning) {
  auto sink = LogSink::open(file_, LogLevel::kInfo, clock_);
  for (int i = 0; i < 100; ++i) (*sink)->warning(LogLine("down").field("server", "a"));
  (*sink)->warning(LogLine("down").field("server", "b"));
  clock_.advance(std::chrono::minutes(1));
  (*sink)->warning(LogLine("down").field("server", "a"));
  const std::string text = read(file_);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_THAT(text, ::testing::HasSubstr("down server=a repeated=99\n"));
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
}  // namespace shingled::milter::process
