// Covers storage/client/upstreams.cpp.
#include <gmock/gmock.h>

#include <map>
#include <string>

#include "storage/client/upstreams.h"

namespace shingled::storage::client {
namespace {

using ::testing::ElementsAre;

std::vector<Contender> contenders(const std::vector<std::uint32_t>& weights) {
  std::vector<Contender> out;
  for (std::size_t i = 0; i < weights.size(); ++i)
    out.push_back({identity_of("192.0.2." + std::to_string(i)), weights[i]});
  return out;
}

/// The first server of each call, as a letter.
std::string firsts(ServerSelection& selection, const std::vector<bool>& well, int calls) {
  std::string out;
  for (int i = 0; i < calls; ++i)
    out += static_cast<char>('a' + selection.order(well, static_cast<std::uint64_t>(i))[0]);
  return out;
}

struct Case {
  const char* why;
  Rotation rotation;
  std::vector<std::uint32_t> weights;
  std::vector<bool> well;
  const char* firsts;
};

TEST(ServerSelection, ChoosesTheFirstServer) {
  const Case cases[] = {
      {"each in turn", Rotation::kRoundRobin, {1, 1, 1}, {true, true, true}, "abcabcab"},
      {"twice as often, spread", Rotation::kRoundRobin, {2, 1}, {true, true}, "abaabaab"},
      {"five, one and one are spread",
       Rotation::kRoundRobin,
       {5, 1, 1},
       {true, true, true},
       "aabacaaaabacaa"},
      {"a resting server has no turn, and no other has two",
       Rotation::kRoundRobin,
       {1, 1, 1},
       {true, false, true},
       "acacacac"},
      {"all rest: each in turn", Rotation::kRoundRobin, {1, 1}, {false, false}, "abab"},
      {"weights do not count", Rotation::kSequential, {9, 1, 1}, {true, true, true}, "abcabc"},
      {"a resting server is skipped",
       Rotation::kSequential,
       {1, 1, 1},
       {true, false, true},
       "acac"},
      {"the first in the list", Rotation::kMasterSlave, {1, 1, 1}, {true, true, true}, "aaaa"},
      {"the largest weight", Rotation::kMasterSlave, {1, 3, 2}, {true, true, true}, "bbbb"},
      {"the next weight while that one rests",
       Rotation::kMasterSlave,
       {1, 3, 2},
       {true, false, true},
       "cccc"},
      {"one server", Rotation::kHash, {1}, {true}, "aaaa"},
  };
  for (const Case& c : cases) {
    ServerSelection selection(c.rotation, contenders(c.weights));
    const std::string expected = c.firsts;
    EXPECT_EQ(firsts(selection, c.well, static_cast<int>(expected.size())), expected) << c.why;
  }
}

TEST(ServerSelection, ReturnsEachServerOnceTheHealthyOnesFirst) {
  for (const Rotation rotation : {Rotation::kRoundRobin, Rotation::kSequential,
                                  Rotation::kMasterSlave, Rotation::kHash, Rotation::kRandom}) {
    ServerSelection selection(rotation, contenders({1, 2, 3, 4, 5}));
    const std::vector<bool> well = {false, true, true, false, true};
    for (std::uint64_t key = 0; key < 50; ++key) {
      auto order = selection.order(well, key);
      EXPECT_TRUE(well[order[0]] && well[order[1]] && well[order[2]]) << to_string(rotation);
      std::sort(order.begin(), order.end());
      EXPECT_THAT(order, ElementsAre(0, 1, 2, 3, 4)) << to_string(rotation);
    }
  }
}

TEST(ServerSelection, HashGivesEachServerItsShareAndKeepsIt) {
  constexpr std::uint64_t kKeys = 20'000;
  const std::vector<Contender> four = contenders({1, 1, 2, 4});
  ServerSelection all(Rotation::kHash, four);
  ServerSelection without_the_last(Rotation::kHash, {four[0], four[1], four[2]});
  const std::vector<bool> well(4, true);
  std::map<std::size_t, double> share;
  for (std::uint64_t key = 0; key < kKeys; ++key) {
    const std::size_t home = all.order(well, key)[0];
    EXPECT_EQ(home, all.order(well, key)[0]) << "the same question, the same server";
    share[home] += 1.0 / kKeys;
    const std::size_t then = without_the_last.order({true, true, true}, key)[0];
    EXPECT_TRUE(home == 3 || then == home) << "only the questions of the lost server move";
    const std::size_t resting = all.order({true, true, true, false}, key)[0];
    EXPECT_EQ(resting, then) << "a resting server counts as a removed one";
  }
  const double eighth = 1.0 / 8;
  const std::vector<double> expected = {eighth, eighth, 2 * eighth, 4 * eighth};
  // Five standard deviations of the coarsest share are below 2 %.
  for (std::size_t s = 0; s < 4; ++s) EXPECT_NEAR(share[s], expected[s], 0.02) << s;
}

}  // namespace
}  // namespace shingled::storage::client
