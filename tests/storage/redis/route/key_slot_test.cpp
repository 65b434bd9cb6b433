// Covers storage/redis/route/slot_map.cpp.
#include <gtest/gtest.h>

#include "storage/redis/route/slot_map.h"

namespace shingled::storage::redis {
namespace {

struct KeyCase {
  const char* why;
  std::string key;
  std::uint16_t slot;
};

// Slots as `CLUSTER KEYSLOT` of Redis 7.0 gives them.
TEST(KeySlot, EqualsThatOfTheClusterSpecification) {
  const KeyCase cases[] = {{"the check value of the specification", "123456789", 12739},
                           {"an empty key", "", 0},
                           {"a word", "foo", 12182},
                           {"a tag", "{foo}bar", 12182},
                           {"the first tag counts", "{foo}{bar}", 12182},
                           {"an empty tag does not count", "{}foo", 9500},
                           {"a brace that is not closed", "{foo", 13308},
                           {"a tag that begins with a brace", "foo{{bar}}zap", 4015}};
  for (const KeyCase& c : cases) EXPECT_EQ(key_slot(c.key), c.slot) << c.why;
}

TEST(KeySlot, EverySlotHasATag) {
  for (std::size_t slot = 0; slot < kClusterSlots; ++slot) {
    const auto number = static_cast<std::uint16_t>(slot);
    EXPECT_EQ(key_slot("fuzzy_done_{" + slot_tag(number) + "}_00ff"), number);
  }
}

}  // namespace
}  // namespace shingled::storage::redis
