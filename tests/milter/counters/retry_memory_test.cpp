#include "milter/counters/retry_memory.h"

#include <gtest/gtest.h>

#include <string>

namespace shingled::milter::counters {
namespace {

using namespace std::chrono_literals;

const TimePoint kStart{1s};
constexpr RetryName kName{.message_id = "<1@x>", .sender = "<a@b>", .recipients = 42, .size = 1000};

TEST(RetryMemory, KnowsAMessageForADay) {
  RetryMemory memory;
  EXPECT_FALSE(memory.knows(kName, kStart));
  memory.remember(kName, kStart);
  EXPECT_TRUE(memory.knows(kName, kStart));
  EXPECT_TRUE(memory.knows(kName, kStart + 24h - 1s));
  EXPECT_FALSE(memory.knows(kName, kStart + 24h));
}

TEST(RetryMemory, KnowsAMessageByAllOfItsName) {
  RetryMemory memory;
  memory.remember(kName, kStart);
  RetryName other = kName;
  other.message_id = "<2@x>";
  EXPECT_FALSE(memory.knows(other, kStart));
  other = kName;
  other.sender = "<a@c>";
  EXPECT_FALSE(memory.knows(other, kStart));
  other = kName;
  other.recipients = 43;
  EXPECT_FALSE(memory.knows(other, kStart));
  other = kName;
  other.size = 1001;
  EXPECT_FALSE(memory.knows(other, kStart));
  const RetryName moved{.message_id = "<1@x><", .sender = "a@b>", .recipients = 42, .size = 1000};
  EXPECT_FALSE(memory.knows(moved, kStart));
}

TEST(RetryMemory, BeginsTheDayAnewWithEachAttempt) {
  RetryMemory memory;
  memory.remember(kName, kStart);
  memory.remember(kName, kStart + 20h);
  EXPECT_EQ(memory.size(), 1U);
  RetryName other = kName;
  other.size = 1;
  memory.remember(other, kStart + 30h);  // the first attempt is forgotten now
  EXPECT_TRUE(memory.knows(kName, kStart + 40h));
  EXPECT_FALSE(memory.knows(kName, kStart + 44h));
}

TEST(RetryMemory, ForgetsTheOldestWhenItIsFull) {
  RetryMemory memory(100);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    RetryName name = kName;
    name.size = i;
    memory.remember(name, kStart);
    EXPECT_LE(memory.size(), 100U);
    EXPECT_TRUE(memory.knows(name, kStart));
  }
  RetryName first = kName;
  first.size = 899;
  EXPECT_FALSE(memory.knows(first, kStart));
  first.size = 900;
  EXPECT_TRUE(memory.knows(first, kStart));
}

}  // namespace
}  // namespace shingled::milter::counters
