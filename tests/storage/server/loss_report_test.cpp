#include "storage/server/loss_report.h"

#include <gmock/gmock.h>

#include <new>
#include <string>
#include <vector>

namespace shingled::storage::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Lines final : public Logger {
 public:
  void write(LogLevel, std::string_view line) override { lines.emplace_back(line); }
  [[nodiscard]] bool enabled(LogLevel) const override { return true; }
  std::vector<std::string> lines;
};

TEST(LossReport, SpeaksAtOnceAndThenOnceAMinute) {
  Lines log;
  LossReport report(log);
  const TimePoint begin{};
  report.note(0, 0, begin);
  EXPECT_THAT(log.lines, IsEmpty()) << "nothing was lost";
  report.note(3, 0, begin);
  report.note(1, 2, begin + std::chrono::seconds(30));
  report.note(0, 5, begin + std::chrono::seconds(59));
  EXPECT_THAT(log.lines, ElementsAre("fuzzy_overloaded kernel_drops=3 too_late=0"));
  report.note(10, 0, begin + std::chrono::seconds(60));
  EXPECT_THAT(log.lines, ElementsAre("fuzzy_overloaded kernel_drops=3 too_late=0",
                                     "fuzzy_overloaded kernel_drops=11 too_late=7"));
}

TEST(LossReport, TellsOfMissingMemoryOnceAMinute) {
  Lines log;
  LossReport report(log);
  const TimePoint begin{};
  for (int i = 0; i < 5; ++i) report.note_no_memory(begin + std::chrono::seconds(i));
  EXPECT_THAT(log.lines, ElementsAre("fuzzy_out_of_memory requests=1"));
  report.note_no_memory(begin + std::chrono::seconds(60));
  EXPECT_THAT(log.lines,
              ElementsAre("fuzzy_out_of_memory requests=1", "fuzzy_out_of_memory requests=5"));
}

class NoMemoryForLines final : public Logger {
 public:
  void write(LogLevel, std::string_view) override { throw std::bad_alloc(); }
  [[nodiscard]] bool enabled(LogLevel) const override { return true; }
};

TEST(LossReport, OutlivesThatThereIsNoMemoryForTheLine) {
  NoMemoryForLines log;
  LossReport report(log);
  for (int i = 0; i < 5; ++i) report.note_no_memory(TimePoint{});
}

}  // namespace
}  // namespace shingled::storage::server
