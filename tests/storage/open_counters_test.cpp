// Covers storage/open_store.cpp.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "storage/open_store.h"
#include "tests/support/manual_clock.h"
#include "tests/support/seeded_random.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage {
namespace {

using testing::ManualClock;
using testing::SeededRandom;
using testing::TemporaryDirectory;

TEST(OpenCounters, CountsInTheFolderThatTheOptionNames) {
  const TemporaryDirectory directory;
  ManualClock clock;
  SeededRandom random(1);
  NullLogger logger;
  CounterOptions options;
  options.embedded.directory = directory.file("counters");
  auto store = open_counters(options, clock, random, logger);
  ASSERT_TRUE(store) << store.error().message;
  counters::Addition addition{{{1, PieceType::kFrom}}, {}, {}};
  addition.amounts.of(counters::Measure::kMass) = 1;
  ASSERT_TRUE((*store)->add(addition, {}));
  EXPECT_EQ((*store)->series({1, PieceType::kFrom}, {})->size(), 1U);

  const auto second = open_counters(options, clock, random, logger);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("counters.directory"), std::string::npos);
  EXPECT_NE(second.error().message.find(options.embedded.directory), std::string::npos);
}

}  // namespace
}  // namespace shingled::storage
