// Covers the mark of the key in Redis (storage/redis/counters/scripted_route.cpp).
#include <gmock/gmock.h>

#include "tests/storage/redis/counters/shared_fixture.h"

namespace shingled::storage::redis {
namespace {

using ::testing::HasSubstr;

class SharedKeyTest : public SharedCountersTest {
 protected:
  Store open_with(int number, std::optional<std::uint64_t> mark) {
    SharedCounterOptions options = options_;
    options.journal_directory = folder_.file(("journal" + std::to_string(number)).c_str());
    auto opened = SharedCounters::open(options, clock_, random_, logger_, mark);
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? *std::move(opened) : nullptr;
  }
};

TEST_F(SharedKeyTest, TwoDaemonsWithDifferentKeysNotice) {
  const CounterKey key{7 << 16U, PieceType::kFrom};
  const Addition one{{key}, {}, message()};
  const Store before = open_with(0, {});  // an earlier version
  add(*before, one);
  deliver(*before);
  const Store first = open_with(1, 5);  // gives the servers its mark
  EXPECT_TRUE(first->verify({}));
  add(*first, one);
  deliver(*first);
  EXPECT_EQ(mass(*first, key), 2U);

  const Store other = open_with(2, 6);
  const CounterAnswers answers = other->ask({&key, 1}, kWindows, soon());
  EXPECT_FALSE(answers.known[0]);
  const Status added = other->add(one, soon());
  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().message, HasSubstr("another key"));
  EXPECT_FALSE(other->verify({}));
  EXPECT_FALSE(other->scan());
  EXPECT_FALSE(other->import({}, soon()));
  EXPECT_EQ(mass(*first, key), 2U);

  const Store same = open_with(3, 5);
  EXPECT_TRUE(same->verify({}));
  EXPECT_EQ(mass(*same, key), 2U);
}

}  // namespace
}  // namespace shingled::storage::redis
