#include "config/base/assert.h"

#include <gtest/gtest.h>

namespace shingled {
namespace {

TEST(Assert, SaysWhatFailedAndWhereThenAborts) {
  const int number = 3;
  SHINGLED_ASSERT(number == 3);
  EXPECT_DEATH(SHINGLED_ASSERT(number == 4), "bug: number == 4 \\(assert_test.cpp:[0-9]+\\)");
}

TEST(Assert, ThoseForDebuggingAreNotEvaluatedInARelease) {
  int evaluated = 0;
  SHINGLED_DEBUG_ASSERT(++evaluated > 0);
#ifdef NDEBUG
  EXPECT_EQ(evaluated, 0);
#else
  EXPECT_EQ(evaluated, 1);
#endif
}

}  // namespace
}  // namespace shingled
