// Covers milter/terminal/message_loop.cpp.
#include "milter/terminal/console.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "milter/terminal/message_loop.h"

namespace shingled::milter::terminal {
namespace {

using ::testing::ElementsAre;

TEST(Console, ResultsAndErrorsHaveTheirOwnStreams) {
  std::ostringstream out;
  std::ostringstream err;
  Console console(out, err);
  console.line("result");
  console.json({{"b", 1}, {"a", "\xff"}});
  console.error("a\nfile", "no such \x1b[31mfile");
  EXPECT_EQ(out.str(), "result\n{\"b\":1,\"a\":\"\xEF\xBF\xBD\"}\n");
  EXPECT_EQ(err.str(), "shingled: a\\x0afile: no such \\x1b[31mfile\n");
  EXPECT_FALSE(console.broken());
  out.setstate(std::ios::badbit);
  EXPECT_TRUE(console.broken());
}

TEST(Console, WhatWasDrawnGoesBeforeTheNextLine) {
  std::ostringstream out;
  std::ostringstream err;
  Console console(out, err);
  console.draw("bar");
  console.line("result");
  console.line("result");
  EXPECT_EQ(err.str(), "\rbar\x1b[K\r\x1b[K");
}

TEST(Console, ColumnsAreAsWideAsTheirWidestCell) {
  EXPECT_THAT(table_lines({{"part", "kind"}, {"1.1", "té", "x"}, {"1", "text", "y"}}, "  "),
              ElementsAre("  part  kind", "  1.1   té    x", "  1     text  y"));
}

TEST(Progress, TheBarFollowsTheBytes) {
  EXPECT_EQ(progress_bar(0, 100, 0), "[....................]   0 %  0 messages");
  EXPECT_EQ(progress_bar(42, 100, 7), "[########............]  42 %  7 messages");
  EXPECT_EQ(progress_bar(200, 100, 9), "[####################] 100 %  9 messages");
  EXPECT_EQ(progress_bar(0, 0, 9), "[####################] 100 %  9 messages");
}

}  // namespace
}  // namespace shingled::milter::terminal
