// Covers storage/redis/route/redis_route.cpp.
#include <gtest/gtest.h>

#include "storage/redis/route/redis_route.h"

namespace shingled::storage::redis {
namespace {

TEST(CommandList, WritesWordsWithTheirLengths) {
  CommandList commands;
  commands.add({"GET", std::string_view("a\r\n\0b", 5)});
  EXPECT_EQ(commands.bytes(), std::string_view("*2\r\n$3\r\nGET\r\n$5\r\na\r\n\0b\r\n", 24));
}

TEST(CommandList, KeepsCommandsApart) {
  CommandList commands;
  commands.add({"PING"});
  commands.begin(2);
  commands.word("ECHO");
  commands.word("");
  EXPECT_EQ(commands.size(), 2U);
  EXPECT_EQ(commands.command(0), "*1\r\n$4\r\nPING\r\n");
  EXPECT_EQ(commands.command(1), "*2\r\n$4\r\nECHO\r\n$0\r\n\r\n");
  CommandList other;
  other.append(commands.command(1));
  EXPECT_EQ(other.bytes(), commands.command(1));
  EXPECT_EQ(other.size(), 1U);
}

}  // namespace
}  // namespace shingled::storage::redis
