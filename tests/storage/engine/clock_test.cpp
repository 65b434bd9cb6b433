// The times of records when a clock is wrong: the own clock or that of a master.
#include <gmock/gmock.h>

#include <atomic>
#include <future>

#include "storage/engine/clock_watch.h"
#include "storage/formats/verify.h"
#include "tests/storage/engine/engine_fixture.h"

namespace shingled::storage::engine {
namespace {

using ::testing::IsEmpty;

constexpr StoreId kMaster{1};

class WrongClock : public EngineTest {
 protected:
  /// A batch from a master about a digest.
  void hear(const Fingerprint& what, std::uint32_t created, std::uint32_t updated) {
    PartRecord record{what.digest, {}};
    record.part.flags.add({2, 1});
    record.part.created = created;
    record.part.updated = updated;
    std::promise<Status> outcome;
    engine_->submit_batch({.master = kMaster, .key = {}, .records = {record}, .position = {}},
                          [&](const Status& status) { outcome.set_value(status); });
    ASSERT_TRUE(outcome.get_future().get());
  }
  formats::VerifyReport verify() {
    return formats::verify_file(options_.hashfile, {.now = clock_.unix_seconds()},
                                [](const WorkDone&) { return true; })
        .value();
  }
};

TEST_F(WrongClock, SetBackDoesNotChangeUpdated) {
  open();
  const std::uint32_t begun = clock_.unix_seconds();
  const Fingerprint known = random_fingerprint(random_);
  ASSERT_TRUE(apply(add(known)));
  clock_.advance(std::chrono::seconds(-3600));
  ASSERT_TRUE(apply(add(known)));
  const auto match = check(known);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->updated, begun);
  EXPECT_EQ(match->created, begun);
  ASSERT_TRUE(engine_->apply(std::vector{remove(known), add(known)}));
  EXPECT_EQ(check(known)->updated, clock_.unix_seconds()) << "a new record begins now";
  EXPECT_EQ(check(known)->created, clock_.unix_seconds());
  EXPECT_THAT(verify().warnings, IsEmpty());
}

TEST_F(WrongClock, SetBackDoesNotChangeTheOwnPart) {
  open();
  const std::uint32_t begun = clock_.unix_seconds();
  const Fingerprint known = random_fingerprint(random_);
  hear(known, begun - 50, begun - 10);
  ASSERT_TRUE(apply(add(known)));
  clock_.advance(std::chrono::seconds(-3600));
  ASSERT_TRUE(apply(add(known)));
  EXPECT_EQ(check(known)->updated, begun);
  EXPECT_THAT(verify().warnings, IsEmpty());
}

TEST_F(WrongClock, OfAMasterIsBounded) {
  open();
  const Fingerprint known = random_fingerprint(random_);
  hear(known, 1'600'000'000, 4'294'967'295);
  EXPECT_EQ(check(known)->updated, clock_.unix_seconds() + 86'400);
  const Fingerprint later = random_fingerprint(random_);
  hear(later, 4'294'967'295, clock_.unix_seconds());
  EXPECT_EQ(check(later)->created, clock_.unix_seconds());
  open();
  EXPECT_EQ(check(later)->created, clock_.unix_seconds());
  ASSERT_TRUE(apply(remove(later)));  // otherwise `verify` warns about the master's part
  hear(later, 4'294'967'295, 0);
  const formats::VerifyReport report = verify();
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(report.warnings, IsEmpty());
}

/// A clock that shows another wall time than the one that passes.
class MovedClock final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override { return clock.now(); }
  [[nodiscard]] WallTime wall() const override { return clock.wall() + ahead.load(); }
  shingled::testing::ManualClock clock;
  std::atomic<std::chrono::seconds> ahead{std::chrono::seconds(0)};
};

class MovedClockTest : public EngineTest {
 protected:
  static constexpr std::chrono::hours kExpire{24 * 90};
  static constexpr std::chrono::hours kYear{24 * 365};

  void TearDown() override { engine_.reset(); }  // its threads read the clock

  void start() {
    options_.expire = kExpire;
    engine_.reset();
    auto opened = Engine::open(options_, moved_, logger_);
    ASSERT_TRUE(opened) << opened.error().message;
    engine_ = *std::move(opened);
  }
  /// Waits until the writer has looked at all records.
  void walk() {
    for (int i = 0; i < 4; ++i) {
      moved_.clock.advance(std::chrono::seconds(2));
      ASSERT_TRUE(apply(remove(random_fingerprint(random_))));
    }
  }
  MovedClock moved_;
};

TEST_F(MovedClockTest, DeletesNothingWhenItIsAheadForAMoment) {
  start();
  const Fingerprint known = random_fingerprint(random_);
  ASSERT_TRUE(apply(add(known)));
  walk();
  moved_.ahead = kYear;
  walk();
  moved_.clock.advance(std::chrono::minutes(30));
  walk();
  moved_.ahead = std::chrono::seconds(0);
  walk();
  EXPECT_EQ(engine_->size(), 1U);
  EXPECT_TRUE(check(known));
}

TEST_F(MovedClockTest, DeletesNothingWhenItIsAheadAtTheStart) {
  start();
  ASSERT_TRUE(apply(add(random_fingerprint(random_))));
  engine_.reset();
  moved_.ahead = kYear;
  start();
  walk();
  EXPECT_EQ(engine_->size(), 1U);
}

TEST_F(MovedClockTest, IsBelievedWhenItRunsOn) {
  start();
  ASSERT_TRUE(apply(add(random_fingerprint(random_))));
  walk();
  moved_.ahead = kYear;
  walk();
  moved_.clock.advance(ClockWatch::kProof + std::chrono::minutes(1));
  walk();
  EXPECT_EQ(engine_->size(), 0U);
}

TEST_F(MovedClockTest, HidesNothingWhenItIsAhead) {
  start();
  const Fingerprint known = random_fingerprint(random_);
  ASSERT_TRUE(apply(add(known)));
  const auto found = [&] {
    return engine_->check(known.digest, nullptr, unix_seconds(moved_.wall())).has_value();
  };
  moved_.ahead = kYear;
  walk();
  EXPECT_TRUE(found()) << "while it runs";
  const Fingerprint added = random_fingerprint(random_);
  ASSERT_TRUE(apply(add(added)));
  start();
  EXPECT_TRUE(found()) << "after a start; what was added meanwhile proves nothing";
  moved_.ahead = std::chrono::seconds(0);
  start();
  EXPECT_TRUE(found());
  EXPECT_TRUE(check(added));
}

TEST_F(MovedClockTest, WhatIsTaughtWithAClockBehindIsKept) {
  const struct {
    const char* why;
    bool known_before;
    std::chrono::hours behind;
  } kCases[] = {
      {"a clock that was never set, an empty file", false, std::chrono::hours(24 * 19'000)},
      {"the same, other hashes are known", true, std::chrono::hours(24 * 19'000)},
      {"three years behind, other hashes are known", true, 3 * kYear}};
  for (const auto& c : kCases) {
    options_.hashfile = directory_.file("behind" + std::to_string(&c - kCases));
    moved_.ahead = std::chrono::seconds(0);
    start();
    if (c.known_before) {
      ASSERT_TRUE(apply(add(random_fingerprint(random_))));
    }
    moved_.ahead = -std::chrono::seconds(c.behind);
    start();
    const Fingerprint taught = random_fingerprint(random_);
    ASSERT_TRUE(apply(add(taught)));
    moved_.ahead = std::chrono::seconds(0);
    start();
    moved_.clock.advance(ClockWatch::kProof + std::chrono::minutes(1));
    walk();
    EXPECT_TRUE(engine_->check(taught.digest, nullptr, unix_seconds(moved_.wall()))) << c.why;
  }
}

TEST(ClockWatch, BelievesPlausibleTimes) {
  const TimePoint begin{};
  const auto at = [&](int hours) { return begin + std::chrono::hours(hours); };
  constexpr std::uint32_t kNow = 1'700'000'000;
  constexpr std::uint32_t kDay = 86'400;
  ClockWatch watch(kNow, kNow, begin);
  EXPECT_TRUE(watch.believes(kNow + 3600, at(1)));
  EXPECT_TRUE(watch.believes(kNow, at(2))) << "back";
  EXPECT_TRUE(watch.believes(kNow + kDay, at(3))) << "ahead, but not far";
  EXPECT_TRUE(watch.believes(kNow + 40 * kDay, at(3 + 24 * 40)))
      << "ahead by the time that has passed";
  EXPECT_FALSE(watch.believes(kNow + 90 * kDay, at(3 + 24 * 40)));
  EXPECT_EQ(watch.ahead(), 50 * kDay);
  EXPECT_FALSE(watch.believes(kNow + 900 * kDay, at(4 + 24 * 40))) << "moved again";
  EXPECT_TRUE(watch.believes(kNow + 901 * kDay, at(4 + 24 * 41)));
}

}  // namespace
}  // namespace shingled::storage::engine
