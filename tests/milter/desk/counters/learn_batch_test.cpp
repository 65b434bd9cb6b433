#include "milter/desk/counters/learn_batch.h"

#include <gtest/gtest.h>

namespace shingled::milter::desk {
namespace {

TEST(LearnBatches, SendWhatTheyHoldByTime) {
  std::vector<std::string> sent;
  LearnBatches batches(
      [&](const std::string& additions) -> Status {
        sent.push_back(additions);
        return {};
      },
      4);
  ASSERT_TRUE(batches.add(30, "c").has_value());
  ASSERT_TRUE(batches.add(10, "a").has_value());
  ASSERT_TRUE(batches.add(20, "bb").has_value());
  EXPECT_EQ(sent, std::vector<std::string>{"a,bb,c"});
  ASSERT_TRUE(batches.add(5, "z").has_value());
  ASSERT_TRUE(batches.finish().has_value());
  EXPECT_EQ(sent.back(), "z");
  ASSERT_TRUE(batches.finish().has_value());
  EXPECT_EQ(sent.size(), 2U);
}

TEST(LearnBatches, MakeRequestsOfBoundedSize) {
  std::size_t requests = 0;
  LearnBatches batches([&](const std::string& additions) -> Status {
    ++requests;
    EXPECT_LT(additions.size(), LearnBatches::kRequestBytes + 100'001);
    return {};
  });
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(batches.add(i, std::string(100'000, 'x')).has_value());
  }
  ASSERT_TRUE(batches.finish().has_value());
  EXPECT_EQ(requests, 5U);
}

TEST(LearnBatches, TellAFailure) {
  LearnBatches batches([](const std::string&) -> Status {
    return Error{ErrorCode::kUnavailable, "away"};
  });
  ASSERT_TRUE(batches.add(1, "a").has_value());
  EXPECT_FALSE(batches.finish().has_value());
}

}  // namespace
}  // namespace shingled::milter::desk
