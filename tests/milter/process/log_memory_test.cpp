#include "milter/process/log_memory.h"

#include <gtest/gtest.h>

namespace shingled::milter::process {
namespace {

WallTime at(int seconds) { return WallTime(std::chrono::seconds(seconds)); }

TEST(LogMemory, KeepsTheLastWarningsAndErrors) {
  LogMemory memory;
  memory.take(LogLevel::kInfo, "message", at(1));
  memory.take(LogLevel::kWarning, "a", at(2));
  memory.take(LogLevel::kError, "b", at(3));
  memory.take(LogLevel::kWarning, "a", at(4));
  EXPECT_EQ(memory.lines(), (std::vector<LogMemory::Line>{{at(4), LogLevel::kWarning, "a", 2},
                                                          {at(3), LogLevel::kError, "b", 1}}));
  for (int i = 0; i < 200; ++i) memory.take(LogLevel::kWarning, std::to_string(i), at(5));
  EXPECT_EQ(memory.lines().size(), LogMemory::kLinesMax);
  EXPECT_EQ(memory.lines().front().text, "199");
}

}  // namespace
}  // namespace shingled::milter::process
