#include "milter/api/counters/counter_top.h"

#include <gtest/gtest.h>

#include "tests/milter/api/listed_counters.h"

namespace shingled::milter::api {
namespace {

using storage::counters::Direction;
using storage::counters::Measure;
using storage::counters::Period;

class CounterTopTest : public ::testing::Test {
 protected:
  /// Adds to a counter `ago` periods of ten minutes ago.
  void add(std::uint64_t shingle, std::uint32_t ago, std::uint64_t mass,
           PieceType type = PieceType::kLinkHost, Direction direction = Direction::kIn,
           Measure measure = Measure::kMass) {
    storage::counters::Entry entry{{Period::Unit::kSlot, store_.now - ago}, {}};
    entry.amounts.of(measure) = mass;
    add_entry(store_.counters[{shingle, type, direction}], entry);
  }
  std::vector<std::uint64_t> shingles(const TopQuestion& question) {
    const auto found = find_top(store_, question, {});
    EXPECT_TRUE(found) << found.error().message;
    std::vector<std::uint64_t> out;
    for (const TopCounter& counter : *found) out.push_back(counter.key.shingle);
    return out;
  }
  testing::ListedCounters store_;
};

using Shingles = std::vector<std::uint64_t>;
constexpr storage::counters::Window kHour{Period::Unit::kSlot, 6, 0};

TEST_F(CounterTopTest, FindsTheGreatestOfAWindow) {
  store_.now += 100;
  for (std::uint64_t i = 1; i <= 9; ++i) add(i, 0, i);
  add(20, 7, 1000);
  EXPECT_EQ(shingles({.window = kHour, .most = 3}), (Shingles{9, 8, 7}));
  EXPECT_EQ(shingles({.most = 2}), (Shingles{20, 9})) << "of the day";
  add(30, 0, 5, PieceType::kUser);
  add(31, 0, 6, PieceType::kUser, Direction::kOut);
  add(31, 0, 2, PieceType::kUser, Direction::kOut, Measure::kSpam);
  EXPECT_EQ(shingles({.type = PieceType::kUser}), (Shingles{31, 30}));
  EXPECT_EQ(shingles({.direction = Direction::kIn, .type = PieceType::kUser}), (Shingles{30}));
  EXPECT_EQ(shingles({.measure = Measure::kSpam}), (Shingles{31})) << "none with 0";
}

TEST_F(CounterTopTest, FindsWhatRises) {
  add(1, 0, 100);
  add(1, 6, 90);
  add(2, 5, 50);
  add(2, 11, 5);
  add(2, 12, 1000);  // older than the window before
  add(3, 0, 70);
  add(3, 6, 70);  // as before
  add(4, 0, 1);
  add(4, 6, 70);
  const auto found = find_top(store_, {.window = kHour, .rising = true}, {});
  ASSERT_TRUE(found);
  const std::vector<TopCounter> expected = {{{2, PieceType::kLinkHost}, 50, 5},
                                            {{1, PieceType::kLinkHost}, 100, 90}};
  EXPECT_EQ(*found, expected);
  EXPECT_EQ(
      find_top(store_, {.window = {Period::Unit::kDay, 8, 0}, .rising = true}, {}).error().code,
      ErrorCode::kInvalid);
}

TEST_F(CounterTopTest, EndsAtAnErrorAndWhenItShall) {
  add(1, 0, 100);
  add(2, 0, 100);
  store_.breaks_after = 1;
  EXPECT_EQ(find_top(store_, {}, {}).error().code, ErrorCode::kCorrupt);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(find_top(store_, {}, stop.get_token()).error().code, ErrorCode::kTimeout);
}

}  // namespace
}  // namespace shingled::milter::api
