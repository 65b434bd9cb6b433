#include "milter/mta/message_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace shingled::milter::mta {
namespace {

struct HeaderCase {
  const char* why;
  HeaderSpacing spacing;
  const char* name;
  const char* value;
  const char* expected;
};

constexpr HeaderCase kHeaders[] = {
    {"the space is part of the value", HeaderSpacing::kKept, "Subject", " hi", "Subject: hi\r\n"},
    {"no space", HeaderSpacing::kKept, "Subject", "hi", "Subject:hi\r\n"},
    {"two spaces and a tab", HeaderSpacing::kKept, "Subject", "  \thi", "Subject:  \thi\r\n"},
    {"an old MTA removes the space", HeaderSpacing::kStripped, "Subject", "hi", "Subject: hi\r\n"},
    {"empty", HeaderSpacing::kKept, "Subject", "", "Subject:\r\n"},
    {"folds have a bare LF", HeaderSpacing::kKept, "To", " a,\n\tb,\n  c",
     "To: a,\r\n\tb,\r\n  c\r\n"},
    {"folds with a CR do not get another", HeaderSpacing::kKept, "To", " a,\r\n\tb",
     "To: a,\r\n\tb\r\n"},
    {"a fold right after the colon", HeaderSpacing::kKept, "To", "\n a", "To:\r\n a\r\n"},
};

TEST(MessageBuffer, WritesHeadersAsReceived) {
  for (const HeaderCase& c : kHeaders) {
    MessageBuffer buffer(1000, c.spacing);
    buffer.add_header(c.name, c.value);
    EXPECT_EQ(buffer.bytes(), c.expected) << c.why;
  }
}

TEST(MessageBuffer, BuildsAMessageFromItsParts) {
  MessageBuffer buffer(1000, HeaderSpacing::kKept);
  buffer.add_header("From", " a@example.org");
  buffer.add_header("Subject", " hi");
  buffer.end_headers();
  buffer.add_body("one\r\ntw");
  buffer.add_body("o\r\n");
  EXPECT_EQ(buffer.bytes(), "From: a@example.org\r\nSubject: hi\r\n\r\none\r\ntwo\r\n");
  EXPECT_FALSE(buffer.truncated());
}

TEST(MessageBuffer, KeepsTheBytesThatFit) {
  MessageBuffer buffer(10, HeaderSpacing::kKept);
  buffer.end_headers();
  buffer.add_body("12345678");
  EXPECT_FALSE(buffer.truncated()) << "exactly full";
  buffer.add_body("9");
  EXPECT_TRUE(buffer.truncated());
  buffer.add_body("0");
  EXPECT_EQ(buffer.bytes(), "\r\n12345678");
}

TEST(MessageBuffer, TakesLittleMoreMemoryThanTheMessageNeeds) {
  constexpr std::uint64_t kMax = 1024UL * 1024 * 1024;
  for (const std::size_t bytes : {1UL, 5000UL, 300'000UL, 3'000'000UL, 30'000'000UL}) {
    const auto budget = std::make_shared<MemoryBudget>(kMax);
    {
      MessageBuffer buffer(kMax, HeaderSpacing::kKept, budget);
      const std::string chunk(std::min<std::size_t>(bytes, 65'535), 'x');
      for (std::size_t sent = 0; sent < bytes; sent += chunk.size()) buffer.add_body(chunk);
      EXPECT_GE(budget->used(), buffer.bytes().size());
      const std::size_t least = 600'000;  // a small message doubles its memory
      EXPECT_LE(budget->used(), std::max(least, buffer.bytes().size() * 9 / 8 + 65'535));
    }
    EXPECT_EQ(budget->used(), 0U) << bytes;
  }
}

TEST(MessageBuffer, IsGivenUpAndFreedWithoutMemory) {
  const auto budget = std::make_shared<MemoryBudget>(2'000'000);
  MessageBuffer buffer(50'000'000, HeaderSpacing::kKept, budget);
  const std::string chunk(65'535, 'x');
  for (int i = 0; i < 14; ++i) buffer.add_body(chunk);
  EXPECT_FALSE(buffer.given_up());
  for (int i = 0; i < 14; ++i) buffer.add_body(chunk);
  EXPECT_TRUE(buffer.given_up()) << "more than half of the budget";
  EXPECT_EQ(buffer.bytes(), "");
  EXPECT_EQ(budget->used(), 0U);
}

TEST(MessageBuffer, SmallMessagesGetMemoryThatLargeOnesDoNotGet) {
  const auto budget = std::make_shared<MemoryBudget>(8'000'000);
  ASSERT_TRUE(budget->take(7'000'000, MemoryBudget::Use::kSmall));
  MessageBuffer large(50'000'000, HeaderSpacing::kKept, budget);
  large.add_body(std::string(1'000'000, 'x'));
  EXPECT_TRUE(large.given_up());
  MessageBuffer small(50'000'000, HeaderSpacing::kKept, budget);
  small.add_body(std::string(100'000, 'x'));
  EXPECT_FALSE(small.given_up());
}

}  // namespace
}  // namespace shingled::milter::mta
