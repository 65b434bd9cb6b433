#include "config/base/best.h"

#include <gmock/gmock.h>

#include <functional>
#include <random>
#include <string>

namespace shingled {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Best, KeepsWhatASortWouldPutFirst) {
  std::minstd_rand random(7);
  for (std::size_t most = 0; most < 6; ++most) {
    for (std::size_t count = 0; count < 20; ++count) {
      std::vector<unsigned> all;
      Best<unsigned, std::greater<>> best(most);
      for (std::size_t i = 0; i < count; ++i) {
        all.push_back(static_cast<unsigned>(random() % 10));
        best.add(all.back());
      }
      std::sort(all.begin(), all.end(), std::greater<>());
      all.resize(std::min(all.size(), most));
      EXPECT_EQ(best.take(), all) << most << " of " << count;
    }
  }
}

TEST(Best, NamesTheWorstOnceThereIsNoRoom) {
  Best<int, std::greater<>> best(2);
  best.add(5);
  EXPECT_EQ(best.worst(), nullptr) << "there is room for any";
  best.add(3);
  ASSERT_NE(best.worst(), nullptr);
  EXPECT_EQ(*best.worst(), 3);
  best.add(4);
  EXPECT_EQ(*best.worst(), 4);
  EXPECT_EQ((Best<int, std::greater<>>(0).worst()), nullptr);
}

TEST(KeepBest, LeavesEqualOnesInTheirOrderAndGivesBackTheRest) {
  const auto longer = [](const std::string& a, const std::string& b) {
    return a.size() > b.size();
  };
  std::vector<std::string> words = {"a", "bb", "cc", "ddd", "e"};
  EXPECT_THAT(keep_best(words, 3, longer), ElementsAre("a", "e"));
  EXPECT_THAT(words, ElementsAre("ddd", "bb", "cc"));
  EXPECT_THAT(keep_best(words, 3, longer), IsEmpty());
  EXPECT_THAT(keep_best(words, 0, longer), ElementsAre("ddd", "bb", "cc"));
  EXPECT_THAT(words, IsEmpty());
}

}  // namespace
}  // namespace shingled
