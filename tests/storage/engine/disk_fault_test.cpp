// A disk that fails: no acknowledged update is lost, no refused one counts, and checks go on.
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <map>
#include <thread>

#include "tests/storage/engine/engine_fixture.h"
#include "tests/storage/sqlite/base/faulty_vfs.h"

namespace shingled::storage::engine {
namespace {

class DiskFault : public EngineTest {
 protected:
  sqlite::FaultyVfs disk_;
};

struct Case {
  const char* why;
  int sqlite_code;
};
constexpr Case kCases[] = {{"the disk is full", SQLITE_FULL},
                           {"a write fails", SQLITE_IOERR_WRITE},
                           {"a sync fails", SQLITE_IOERR_FSYNC}};

TEST_F(DiskFault, RefusesTheGroupAndRecoversByItself) {
  open();
  const Fingerprint before = random_fingerprint(random_);
  ASSERT_TRUE(apply(add(before, 3)));
  for (const Case& fault : kCases) {
    SCOPED_TRACE(fault.why);
    const Fingerprint during = random_fingerprint(random_);
    disk_.fail_after(0, fault.sqlite_code);
    const Status refused = apply(add(during));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
    EXPECT_NE(refused.error().message.find(options_.hashfile), std::string::npos);
    EXPECT_FALSE(apply(add(before, 100)));
    EXPECT_FALSE(engine_->takes_updates());
    EXPECT_FALSE(check(during)) << "a refused update is not shown";
    EXPECT_THAT(flags_of(*check(before)), ::testing::ElementsAre(FlagValue{1, 3}));
    disk_.heal();
    EXPECT_TRUE(apply(add(during)));
    EXPECT_TRUE(check(during));
    EXPECT_TRUE(engine_->takes_updates());
  }
  EXPECT_EQ(engine_->counters().refused, 2 * std::size(kCases));
}

TEST_F(DiskFault, IsOverWithoutAnotherUpdate) {
  open();
  disk_.fail_after(0, SQLITE_FULL);
  EXPECT_FALSE(apply(add(random_fingerprint(random_))));
  EXPECT_FALSE(engine_->takes_updates());
  disk_.heal();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!engine_->takes_updates() && std::chrono::steady_clock::now() < deadline) {
    clock_.advance(std::chrono::seconds(5));
    std::this_thread::yield();
  }
  EXPECT_TRUE(engine_->takes_updates());
}

// The WAL is short, so that only the refusal is a reason for a checkpoint.
TEST_F(DiskFault, OnAFullDiskTheWalIsUsedAgain) {
  open();
  std::vector<Update> known;
  for (int i = 0; i < 50; ++i) known.push_back(add(random_fingerprint(random_)));
  ASSERT_TRUE(engine_->apply(known));
  open();  // all of it is in the file
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(engine_->apply(known));
  disk_.fill_up();
  bool refused = false;
  for (int i = 0; i < 100 && !refused; ++i) refused = !engine_->apply(known);
  ASSERT_TRUE(refused) << "the WAL cannot grow";
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  bool made = false;
  while (!made && std::chrono::steady_clock::now() < deadline) made = bool(apply(known[7]));
  EXPECT_TRUE(made) << "the WAL starts again in the same place";
  disk_.heal();
  ASSERT_TRUE(engine_->apply(known));
  const auto before = flags_of(*check(known[7].fingerprint));
  open();
  EXPECT_EQ(flags_of(*check(known[7].fingerprint)), before);
}

TEST_F(DiskFault, ALockOfAnotherProcessIsARefusalToo) {
  open();
  const Fingerprint what = random_fingerprint(random_);
  disk_.lock_out();
  const Status refused = apply(add(what));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  disk_.heal();
  EXPECT_TRUE(apply(add(what)));
}

// Every write of every group fails once. Afterwards, in memory and after reopening, each digest has
// exactly the sum of its acknowledged adds.
TEST_F(DiskFault, KeepsTheAcknowledgedSumsWhicheverWriteFails) {
  std::vector<Fingerprint> texts;
  for (int i = 0; i < 40; ++i) texts.push_back(random_fingerprint(random_));
  std::map<Digest, std::int32_t> sums;
  const auto expect_sums = [&](const char* when) {
    for (const Fingerprint& text : texts) {
      const auto match = check(text);
      ASSERT_EQ(match ? match->flags[0].value : 0, sums[text.digest]) << when;
    }
  };
  open();
  for (int round = 0; round < 120; ++round) {
    const Case& fault = kCases[round % 3];
    disk_.fail_after(round % 17, fault.sqlite_code);
    for (int i = 0; i < 6; ++i) {
      const Fingerprint& text = texts[random_() % texts.size()];
      if (apply(add(text, round + 1))) sums[text.digest] += round + 1;
    }
    ASSERT_NO_FATAL_FAILURE(expect_sums("before reopening"));
    disk_.heal();
    if (round % 5 == 4) {
      open();
      ASSERT_NO_FATAL_FAILURE(expect_sums("after reopening"));
    }
  }
}

}  // namespace
}  // namespace shingled::storage::engine
