// Covers config/sections/history.cpp: what is read, and the exact text of each problem.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load_settings.h"

namespace shingled::config {
namespace {

using ::testing::ElementsAre;

HistoryOptions history_of(const std::string& entries) {
  const Loaded loaded = load_settings("history: {" + entries + "}", "f", {});
  for (const Problem& problem : loaded.problems) ADD_FAILURE() << problem.to_string();
  return loaded.settings ? loaded.settings->history : HistoryOptions{};
}

std::vector<std::string> history_problems(const std::string& entries) {
  std::vector<std::string> out;
  for (const Problem& problem : load_settings("history: {" + entries + "}", "f", {}).problems)
    out.push_back(problem.to_string());
  return out;
}

TEST(History, IsOnWithoutASetting) {
  const HistoryOptions history = history_of("");
  EXPECT_TRUE(history.enabled);
  EXPECT_EQ(history.keep, std::chrono::hours(24 * 14));
  EXPECT_EQ(history.act_for, std::chrono::hours(24 * 7));
  EXPECT_EQ(history.names, HistoryNames::kEnvelope);
  EXPECT_THAT(history.windows, ElementsAre("10m", "1h", "1d", "14d"));
}

TEST(History, ReadsEveryKey) {
  const HistoryOptions history = history_of(
      "enabled: no, file: /tmp/h.db, keep: 30d, act_for: 0, names: subject, bytes_max: 2M, "
      "windows: [10m, 90m, 24h, 2d]");
  EXPECT_FALSE(history.enabled);
  EXPECT_EQ(history.file, "/tmp/h.db");
  EXPECT_EQ(history.keep, std::chrono::hours(24 * 30));
  EXPECT_EQ(history.act_for, std::chrono::hours(0));
  EXPECT_EQ(history.names, HistoryNames::kSubject);
  EXPECT_EQ(history.bytes_max, 2U << 20);
  EXPECT_THAT(history.windows, ElementsAre("10m", "90m", "24h", "2d"));
  EXPECT_TRUE(history_of("windows: []").windows.empty());
}

TEST(History, RefusesWindowsThatCountersDoNotHave) {
  for (const char* window :
       {"5m", "15m", "25h", "15d", "1d1h", "0", "1", "day", "-1h", "1h30m", "3600s", "01h0m"}) {
    EXPECT_THAT(history_problems("windows: [" + std::string(window) + "]"),
                ElementsAre(::testing::HasSubstr("not a window; allowed: 10m to 24h in steps")))
        << window;
  }
  EXPECT_THAT(history_problems("windows: [24h, 1d, 1h, 60m]"),
              ElementsAre(::testing::HasSubstr("history.windows[3]: '60m' is given twice")));
  EXPECT_THAT(history_problems("windows: [1h, 1h]"),
              ElementsAre("f:1:25: history.windows[1]: '1h' is given twice; allowed: 10m to 24h in "
                          "steps of ten minutes, or 1d to 14d, each once"));
}

TEST(History, NeedsAFile) {
  EXPECT_THAT(history_problems("file: \"\""),
              ElementsAre("f:1:17: history.file: there is no history without it; allowed: an "
                          "absolute path, or history.enabled: false"));
  EXPECT_TRUE(history_problems("enabled: no, file: \"\"").empty());
}

}  // namespace
}  // namespace shingled::config
