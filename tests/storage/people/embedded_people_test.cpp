#include "storage/people/embedded_people.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/manual_clock.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::people {
namespace {

using std::chrono::days;

class EmbeddedPeopleTest : public ::testing::Test {
 protected:
  void SetUp() override { open(); }
  void open(std::size_t memory_max = std::size_t{1} << 30U) {
    people_.reset();
    auto opened = EmbeddedPeople::open(
        {.path = directory_.file("p.db"), .site = 5, .keep = days(30), .memory_max = memory_max},
        clock_, logger_);
    ASSERT_TRUE(opened) << opened.error().message;
    people_ = *std::move(opened);
  }
  void say(std::uint64_t message, std::uint64_t person, std::vector<std::uint64_t> signs,
           ReportKind kind = ReportKind::kSpam) {
    ASSERT_TRUE(people_->say({.person = person,
                              .message = message,
                              .kind = kind,
                              .time = clock_.unix_seconds(),
                              .signs = std::move(signs)},
                             clock_.now()));
  }
  Voices voices(std::uint64_t sign) {
    const auto answer = people_->ask(std::span(&sign, 1), clock_.now());
    return answer ? answer->front() : Voices{};
  }

  const testing::TemporaryDirectory directory_;
  testing::ManualClock clock_;
  NullLogger logger_;
  std::unique_ptr<EmbeddedPeople> people_;
};

TEST_F(EmbeddedPeopleTest, FindsAfterARestartWhatItFoundBefore) {
  say(1, 7, {1, 2});
  say(2, 7, {2}, ReportKind::kHam);
  const Voices before = voices(2);
  ASSERT_EQ(before.size(), 2U);
  open();
  EXPECT_EQ(voices(2), before);
  EXPECT_EQ(voices(1).size(), 1U);
}

TEST_F(EmbeddedPeopleTest, APersonCanTurnAndWithdraw) {
  say(1, 7, {1, 2});
  say(1, 7, {2, 3}, ReportKind::kHam);
  EXPECT_TRUE(voices(1).empty());
  ASSERT_EQ(voices(2).size(), 1U);
  EXPECT_EQ(voices(2).front().kind, ReportKind::kHam);
  ASSERT_TRUE(people_->withdraw(1, 7, clock_.now()));
  ASSERT_TRUE(people_->withdraw(1, 8, clock_.now()));  // who said nothing
  EXPECT_TRUE(voices(2).empty());
  open();
  EXPECT_TRUE(voices(3).empty());
}

TEST_F(EmbeddedPeopleTest, ForgetsWhatIsOldButDoubtsAClockThatJumped) {
  say(1, 7, {1});
  for (int i = 0; i < 31; ++i) {
    clock_.advance(days(1));
    say(100, 9, {9});
  }
  EXPECT_TRUE(voices(1).empty());

  say(1, 7, {1});
  open();
  clock_.advance(days(400));
  say(100, 9, {9});
  EXPECT_EQ(voices(1).size(), 1U) << "the clock may be wrong";
}

TEST_F(EmbeddedPeopleTest, KeepsTheNewestIfThereIsNoRoomForAll) {
  for (std::uint64_t i = 0; i < 3000; ++i) {
    clock_.advance(std::chrono::seconds(1));
    say(i, i, {i, 5'000});
  }
  open(100'000);
  EXPECT_TRUE(voices(1).empty());
  EXPECT_EQ(voices(2999).size(), 1U);
  // Also when it fills up later.
  for (std::uint64_t i = 3000; i < 6000; ++i) {
    clock_.advance(std::chrono::seconds(1));
    say(i, i, {i});
  }
  EXPECT_EQ(voices(5999).size(), 1U);
  EXPECT_TRUE(voices(2999).empty());
}

TEST_F(EmbeddedPeopleTest, LeavesOutWhatAStatementHasTooMuch) {
  std::vector<std::uint64_t> signs(kSignsMax + 1);
  for (std::size_t i = 0; i < signs.size(); ++i) signs[i] = i + 1;
  say(1, 7, signs);
  EXPECT_EQ(voices(kSignsMax).size(), 1U);
  EXPECT_TRUE(voices(kSignsMax + 1).empty());
}

TEST_F(EmbeddedPeopleTest, AThousandPeopleAndManyQuestionsAtOnce) {
  std::atomic<bool> done = false;
  std::vector<std::jthread> threads;
  for (int reader = 0; reader < 2; ++reader)
    threads.emplace_back([&] {
      while (!done) static_cast<void>(voices(5));
    });
  std::vector<std::jthread> writers;
  for (std::uint64_t writer = 0; writer < 2; ++writer)
    writers.emplace_back([&, writer] {
      for (std::uint64_t i = 0; i < 100; ++i) say(1, 1000 * writer + i, {5});
    });
  writers.clear();
  done = true;
  threads.clear();
  EXPECT_EQ(voices(5).size(), 200U);
}

}  // namespace
}  // namespace shingled::storage::people
