#include "milter/view/lines/verify_report.h"

#include <gtest/gtest.h>

namespace shingled::milter::view {
namespace {

TEST(VerifyReport, TellsWhatIsDamaged) {
  const Json good = {{"ok", true}, {"sealed_files", 3}};
  EXPECT_TRUE(is_sound(good));
  EXPECT_EQ(verify_line(good), "counters: no problem found; sealed files 3");
  const Json bad = {{"ok", false}, {"error", "3.counts: block 7\x1b"}};
  EXPECT_FALSE(is_sound(bad));
  EXPECT_EQ(verify_line(bad), "counters: damaged: 3.counts: block 7\\x1b");
  EXPECT_FALSE(is_sound(Json{{"ok", 1}}));
  EXPECT_FALSE(is_sound(Json::object()));
}

}  // namespace
}  // namespace shingled::milter::view
