// Covers config/watched_files.h: files that change, break, go and come back while they are watched.
#include "config/watched_files.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

namespace shingled::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

enum class Kind { kText, kLength };

class EventLogger final : public Logger {
 public:
  void write(LogLevel /*level*/, std::string_view line) override {
    events.emplace_back(line.substr(0, line.find(' ')));
  }
  [[nodiscard]] bool enabled(LogLevel /*level*/) const override { return true; }
  std::vector<std::string> events;
};

using Files = WatchedFiles<Kind, std::string>;

int parsed_times = 0;

/// "bad" in a file breaks it.
Result<Files::Parsed> parse(Kind kind, const std::string& path) {
  ++parsed_times;
  auto file = read_whole_file(path, 1000);
  if (!file) return file.error();
  if (file->text.find("bad") != std::string::npos)
    return Error{ErrorCode::kInvalid, path + ": bad"};
  const std::string content = kind == Kind::kText ? file->text : std::to_string(file->text.size());
  return Files::Parsed{file->stamp, content, content.size()};
}

class WatchedFilesTest : public ::testing::Test {
 protected:
  WatchedFilesTest() {
    std::filesystem::create_directory(folder_);
    parsed_times = 0;
  }
  ~WatchedFilesTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  /// A newer file each time, whatever the file system's grain of time is.
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name) + ".new") << text;
    std::filesystem::rename(path(name) + ".new", path(name));
  }
  /// One reading of all that is named: what is in it, or "error".
  std::vector<std::string> read(const std::vector<std::pair<Kind, std::string>>& names) {
    std::vector<std::string> out;
    files_.begin();
    for (const auto& [kind, name] : names) {
      const auto content = files_.get(kind, path(name));
      if (!content) return {"error"};
      out.push_back(**content);
    }
    files_.end();
    return out;
  }
  std::vector<std::string> read_a() { return read({{Kind::kText, "a"}}); }

  const std::string folder_ = ::testing::TempDir() + "watched_files_" + std::to_string(::getpid());
  EventLogger logger_;
  Files files_{parse, logger_};
};

TEST_F(WatchedFilesTest, ReadsOnlyWhatChanged) {
  write("a", "one");
  write("b", "two");
  const std::vector<std::pair<Kind, std::string>> both = {{Kind::kText, "a"}, {Kind::kText, "b"}};
  EXPECT_THAT(read(both), ElementsAre("one", "two"));
  EXPECT_FALSE(files_.changed());
  EXPECT_THAT(read(both), ElementsAre("one", "two"));
  EXPECT_EQ(parsed_times, 2);
  write("b", "three");
  EXPECT_TRUE(files_.changed());
  EXPECT_THAT(read(both), ElementsAre("one", "three"));
  EXPECT_EQ(parsed_times, 3);
  EXPECT_FALSE(files_.changed());
  EXPECT_THAT(logger_.events, ElementsAre("list_read", "list_read", "list_read"));
}

TEST_F(WatchedFilesTest, OnePathMayBeReadAsSeveralKinds) {
  write("a", "one");
  EXPECT_THAT(read({{Kind::kText, "a"}, {Kind::kLength, "a"}, {Kind::kText, "a"}}),
              ElementsAre("one", "3", "one"));
}

TEST_F(WatchedFilesTest, KeepsWhatWasAcceptedWhenAFileBreaksAndSaysSoOnce) {
  write("a", "good");
  read_a();
  files_.accept();
  write("a", "bad");
  EXPECT_TRUE(files_.changed());
  EXPECT_THAT(read_a(), ElementsAre("good"));
  EXPECT_FALSE(files_.changed()) << "it is not read again until it changes";
  EXPECT_THAT(read_a(), ElementsAre("good"));
  std::filesystem::remove(path("a"));
  EXPECT_TRUE(files_.changed());
  EXPECT_THAT(read_a(), ElementsAre("good"));
  EXPECT_FALSE(files_.changed());
  write("a", "back");
  EXPECT_THAT(read_a(), ElementsAre("back"));
  EXPECT_THAT(logger_.events, ElementsAre("list_read", "list_kept", "list_kept", "list_read"));
}

TEST_F(WatchedFilesTest, WhatWasReadButNeverAcceptedDoesNotCount) {
  write("a", "first");
  read_a();
  files_.accept();
  write("a", "second, which does not work with the rest");
  read_a();
  write("a", "bad");
  EXPECT_THAT(read_a(), ElementsAre("first"));
}

TEST_F(WatchedFilesTest, AFileThatWasNeverGoodIsAnErrorAndAllStays) {
  write("a", "one");
  read_a();
  files_.accept();
  EXPECT_THAT(read({{Kind::kText, "a"}, {Kind::kText, "absent"}}), ElementsAre("error"));
  EXPECT_FALSE(files_.changed());
  write("absent", "here now");
  EXPECT_FALSE(files_.changed()) << "it is none of those that were read";
  EXPECT_THAT(read({{Kind::kText, "a"}, {Kind::kText, "absent"}}), ElementsAre("one", "here now"));
  EXPECT_EQ(parsed_times, 3);
}

TEST_F(WatchedFilesTest, WhatIsNotNamedAnyMoreIsNotWatched) {
  write("a", "one");
  write("b", "two");
  read({{Kind::kText, "a"}, {Kind::kText, "b"}});
  EXPECT_THAT(read_a(), ElementsAre("one"));
  write("b", "bad");
  EXPECT_FALSE(files_.changed());
  read({});
  write("a", "two");
  EXPECT_FALSE(files_.changed());
}

}  // namespace
}  // namespace shingled::config
