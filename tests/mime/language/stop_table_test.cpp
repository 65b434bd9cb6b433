#include "mime/language/stop_table.h"

#include <gtest/gtest.h>

namespace shingled::mime {
namespace {

// The hash is no secret, so a text may be made of words that all meet the longest run.
TEST(StopTable, ComparesNoWordWithMoreThanAFewOfItsOwn) {
  EXPECT_LE(StopTable::instance().longest_run(), StopTable::kComparedMax);
}

}  // namespace
}  // namespace shingled::mime
