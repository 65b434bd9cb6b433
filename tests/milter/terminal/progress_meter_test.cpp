#include "milter/terminal/progress_meter.h"

#include <gtest/gtest.h>

namespace shingled::milter::terminal {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Unit = storage::WorkDone::Unit;

TEST(ProgressMeter, TellsHowMuchOfWhatIsDoneAndHowLongItWillLast) {
  const struct {
    const char* why;
    storage::WorkDone work;
    Duration lasted;
    const char* line;
  } cases[] = {
      {"nothing yet", {"committing", 0, 0, Unit::kThings}, seconds(9), "committing ..."},
      {"without a total", {"reading", 1234, 0, Unit::kThings}, seconds(9), "reading  1234"},
      {"bytes without a total", {"reading", 2048, 0, Unit::kBytes}, seconds(9), "reading  2.0 KiB"},
      {"too early to tell what is left",
       {"copying", 1234, 3085, Unit::kThings},
       milliseconds(999),
       "copying  [########............]  40 %  1234 of 3085"},
      {"as fast as until now",
       {"copying", 1234, 3085, Unit::kThings},
       seconds(8),
       "copying  [########............]  40 %  1234 of 3085, 12 s left"},
      {"bytes as bytes",
       {"reading", 1 << 20, 4 << 20, Unit::kBytes},
       seconds(60),
       "reading  [#####...............]  25 %  1.0 MiB of 4.0 MiB, 3 min left"},
      {"the last moment lasts a second",
       {"copying", 999, 1000, Unit::kThings},
       seconds(2),
       "copying  [###################.]  99 %  999 of 1000, 1 s left"},
      {"done",
       {"copying", 7, 7, Unit::kThings},
       seconds(2),
       "copying  [####################] 100 %  7 of 7"},
      {"more than announced: the file grew",
       {"copying", 9, 7, Unit::kThings},
       seconds(2),
       "copying  [####################] 100 %  7 of 7"},
  };
  for (const auto& c : cases) EXPECT_EQ(work_line(c.work, c.lasted), c.line) << c.why;
}

}  // namespace
}  // namespace shingled::milter::terminal
