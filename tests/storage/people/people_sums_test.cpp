// Covers storage/people/people_store.cpp.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "storage/people/people_store.h"

namespace shingled::storage::people {
namespace {

using counters::Period;
using counters::Window;

constexpr std::uint32_t kDay = 86'400;
constexpr std::uint32_t kNow = 20'000 * kDay + 40'000;
constexpr Window kHalfYear{Period::Unit::kDay, 180, 0};
constexpr auto kSpam = ReportKind::kSpam;
constexpr auto kHam = ReportKind::kHam;
constexpr auto kNew = Standing::kNewcomer;
constexpr auto kResident = Standing::kResident;
constexpr auto kTrusted = Standing::kTrusted;

PeopleSums sum(const Voices& voices, const Window& window = kHalfYear,
               const std::vector<std::uint64_t>& recipients = {}) {
  PeopleSums out;
  sum_voices(voices, std::span(&window, 1), WallTime(std::chrono::seconds(kNow)), recipients, {},
             std::span(&out, 1));
  return out;
}

Voices several(std::size_t count, ReportKind kind, Standing standing, std::uint64_t first = 100) {
  Voices out;
  for (std::size_t i = 0; i < count; ++i) out.push_back({first + i, kNow - 60, kind, standing});
  return out;
}

Voices both(Voices a, const Voices& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(PeopleSums, CountsPeopleNotReports) {
  Voices voices;
  for (std::uint32_t day = 0; day < 9; ++day)
    voices.push_back({1, kNow - day * kDay, kSpam, kResident});
  voices.push_back({2, kNow, kSpam, kResident});
  const PeopleSums sums = sum(voices);
  EXPECT_EQ(sums.complainers, 2U);
  EXPECT_EQ(sums.complaints, 10U);
  EXPECT_EQ(sums.rescuers, 0U);
}

TEST(PeopleSums, TakesTheLastWordOfAPerson) {
  EXPECT_EQ(sum({{1, kNow - 90, kSpam, kResident}, {1, kNow - 80, kHam, kResident}}),
            (PeopleSums{.rescuers = 1, .complaints = 1, .rescues = 1}));
  EXPECT_EQ(sum({{1, kNow - 90, kHam, kResident}, {1, kNow - 80, kSpam, kResident}}),
            (PeopleSums{.complainers = 1, .complaints = 1, .rescues = 1}));
}

TEST(PeopleSums, TakesTheLastWordInTheWindow) {
  const Voices voices = {{1, kNow - 20 * kDay, kHam, kResident}, {1, kNow, kSpam, kResident}};
  EXPECT_EQ(sum(voices, {Period::Unit::kDay, 14, 0}).complainers, 1U);
  EXPECT_EQ(sum(voices, {Period::Unit::kDay, 14, 0}).rescues, 0U);
}

struct WeightCase {
  const char* name;
  Voices voices;
  std::uint64_t complainers;
  std::uint64_t rescuers;
};

class PeopleWeights : public ::testing::TestWithParam<WeightCase> {};

TEST_P(PeopleWeights, AreAsDesigned) {
  const PeopleSums sums = sum(GetParam().voices);
  EXPECT_EQ(sums.complainers, GetParam().complainers);
  EXPECT_EQ(sums.rescuers, GetParam().rescuers);
}

INSTANTIATE_TEST_SUITE_P(
    Reasons, PeopleWeights,
    ::testing::Values(
        WeightCase{"a_resident_is_one", several(1, kSpam, kResident), 1, 0},
        WeightCase{"a_trusted_one_is_two", several(1, kSpam, kTrusted), 2, 0},
        WeightCase{"fifty_newcomers_are_one", several(50, kSpam, kNew), 1, 0},
        WeightCase{"and_nobody_beside_a_resident",
                   both(several(1, kSpam, kResident), several(50, kSpam, kNew, 500)), 1, 0},
        WeightCase{"nor_beside_somebody_trusted",
                   both(several(1, kSpam, kTrusted), several(50, kSpam, kNew, 500)), 2, 0},
        WeightCase{"a_resident_ends_the_word_of_newcomers",
                   both(several(50, kSpam, kNew), several(1, kHam, kResident, 500)), 0, 1},
        WeightCase{"newcomers_do_not_end_that_of_residents",
                   both(several(2, kSpam, kResident), several(3, kHam, kNew, 500)), 2, 0},
        WeightCase{"three_newcomers_do_not_outweigh_a_hundred",
                   both(several(100, kSpam, kNew), several(3, kHam, kNew, 500)), 1, 0},
        WeightCase{"as_many_newcomers_on_both_sides",
                   both(several(3, kSpam, kNew), several(3, kHam, kNew, 500)), 1, 1},
        WeightCase{"residents_of_both_sides_count",
                   both(several(3, kSpam, kResident), several(2, kHam, kResident, 500)), 3, 2}),
    [](const auto& one) { return one.param.name; });

TEST(PeopleSums, LeavesNewcomersOutWhereTheySayNothing) {
  PeopleSums sums;
  sum_voices(several(50, kSpam, kNew), std::span(&kHalfYear, 1),
             WallTime(std::chrono::seconds(kNow)), {}, {.newcomers_speak = false},
             std::span(&sums, 1));
  EXPECT_EQ(sums, (PeopleSums{.complaints = 50}));
}

TEST(PeopleSums, CountsTheRecipientsAmongThem) {
  const Voices voices = {{1, kNow, kSpam, kNew}, {2, kNow, kHam, kNew}, {3, kNow, kSpam, kNew}};
  const PeopleSums sums = sum(voices, kHalfYear, {1, 2, 9});
  EXPECT_EQ(sums.own_complaint, 1U);
  EXPECT_EQ(sums.own_rescue, 1U);
}

TEST(PeopleSums, CountsAClockThatWasAheadAsNow) {
  EXPECT_EQ(sum({{1, kNow + 90 * kDay, kSpam, kResident}}, {Period::Unit::kSlot, 1, 0}).complainers,
            1U);
}

/// Brute force: of each person the best of the voices in the window.
TEST(PeopleSums, AreWhatACountByHandGives) {
  rc::check([](std::vector<std::array<std::uint8_t, 4>> raw, std::uint8_t days) {
    Voices voices;
    for (const auto& [person, age, kind, standing] : raw)
      voices.push_back({person % 5U, kNow - age % 30 * kDay / 2, kind % 2 == 0 ? kSpam : kHam,
                        static_cast<Standing>(standing % 3)});
    const Window window{Period::Unit::kDay, days % 20U + 1U, 0};
    std::map<std::uint64_t, Voice> last;
    std::uint64_t complaints = 0;
    for (const Voice& voice : voices) {
      const std::uint32_t age = kNow / kDay - voice.time / kDay;
      if (age >= window.count) continue;
      complaints += voice.kind == kSpam ? 1 : 0;
      const auto [known, fresh] = last.try_emplace(voice.person, voice);
      const bool newer = voice.time > known->second.time ||
                         (voice.time == known->second.time && voice.kind > known->second.kind);
      if (!fresh && newer) known->second = voice;
    }
    std::uint64_t own = 0;
    for (const auto& [person, voice] : last) own += voice.kind == kSpam && person < 3 ? 1 : 0;
    const PeopleSums sums = sum(voices, window, {0, 1, 2});
    RC_ASSERT(sums.own_complaint == own);
    RC_ASSERT(sums.complaints == complaints);
    std::shuffle(voices.begin(), voices.end(), std::minstd_rand(days));
    const PeopleSums other = sum(voices, window, {0, 1, 2});
    RC_ASSERT(sums.own_complaint == other.own_complaint);
    RC_ASSERT(sums.own_rescue == other.own_rescue);
  });
}

}  // namespace
}  // namespace shingled::storage::people
