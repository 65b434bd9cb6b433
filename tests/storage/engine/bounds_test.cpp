// Covers storage/engine/engine.cpp, storage/model/update_queue.cpp.
// The behaviour when there are too many hashes or lists, or too little memory.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "storage/engine/engine.h"
#include "storage/engine/fuzzy_index.h"
#include "storage/engine/writer.h"
#include "storage/sqlite/base/database.h"
#include "tests/storage/engine/engine_fixture.h"

namespace shingled::storage::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class HashesMax : public EngineTest {
 protected:
  void SetUp() override {
    options_.hashes_max = 3;
    for (int i = 0; i < 6; ++i) texts_.push_back(random_fingerprint(random_));
    open();
    ASSERT_TRUE(engine_->apply(std::vector{add(texts_[0]), add(texts_[1]), add(texts_[2])}));
  }
  ErrorCode refusal(const Update& update) {
    const Status outcome = apply(update);
    return outcome ? ErrorCode::kInternal : outcome.error().code;
  }

  std::vector<Fingerprint> texts_;
};

TEST_F(HashesMax, RefusesOnlyNewHashes) {
  EXPECT_EQ(refusal(add(texts_[3])), ErrorCode::kLimit);
  EXPECT_FALSE(check(texts_[3]));
  EXPECT_TRUE(apply(add(texts_[0], 5))) << "it is already stored";
  EXPECT_THAT(flags_of(*check(texts_[0])), ElementsAre(FlagValue{1, 6}));
  EXPECT_TRUE(apply(remove(texts_[1])));
  EXPECT_TRUE(apply(add(texts_[3]))) << "there is room again";
  EXPECT_EQ(refusal(add(texts_[4])), ErrorCode::kLimit);
  EXPECT_EQ(engine_->counters().refused, 2U);
}

TEST_F(HashesMax, CommitsTheRestOfAGroup) {
  options_.durability = Durability::kSync;  // so that they are one group
  options_.sync = std::chrono::hours(1);
  options_.group_commit_max = 5;
  open();
  ASSERT_TRUE(check(texts_[2]));
  const std::vector<Update> updates = {add(texts_[3]), remove(texts_[0]), add(texts_[1], 5),
                                       add(texts_[4]), remove(texts_[5])};
  std::vector<std::promise<bool>> outcomes(updates.size());
  for (std::size_t i = 0; i < updates.size(); ++i) {
    engine_->submit(updates[i],
                    [&, i](const Status& outcome) { outcomes[i].set_value(outcome.has_value()); });
  }
  std::vector<bool> made;
  for (std::promise<bool>& outcome : outcomes) made.push_back(outcome.get_future().get());
  EXPECT_THAT(made, ElementsAre(false, true, true, false, true));
}

TEST_F(HashesMax, AppliesToAMasterToo) {
  const auto hear = [&](const Fingerprint& what) {
    PartRecord record{what.digest, {}};
    record.part.flags.add({3, 1});
    record.part.created = record.part.updated = clock_.unix_seconds();
    std::promise<Status> outcome;
    engine_->submit_batch({.master = StoreId{1}, .key = {}, .records = {record}, .position = {}},
                          [&](const Status& status) { outcome.set_value(status); });
    return outcome.get_future().get();
  };
  EXPECT_TRUE(hear(texts_[0]));
  EXPECT_FALSE(hear(texts_[3]));
  EXPECT_EQ(engine_->size(), 3U);
}

TEST_F(HashesMax, ServesAllHashesOfAFileThatAlreadyHasMore) {
  options_.hashes_max = 1;
  open();
  EXPECT_EQ(engine_->size(), 3U);
  EXPECT_TRUE(check(texts_[2]));
  EXPECT_EQ(refusal(add(texts_[3])), ErrorCode::kLimit);
  EXPECT_TRUE(apply(remove(texts_[2])));
}

TEST(MemoryBound, LeavesAQuarterOfTheMemory) {
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;
  EXPECT_EQ(hashes_within(kGiB), 2'013'265U);
  EXPECT_EQ(hashes_within(0), 1000U);
  EXPECT_EQ(hashes_within(UINT64_MAX), kHashesMax);
  EXPECT_GT(memory_allowed(), kGiB / 16);
}

TEST(IndexBounds, ListsHaveRoomForTheConfiguredNumberOnly) {
  FuzzyIndex index({.flag_sets_max = 2});
  Seeded random{20'261'131};
  FlagSet two;
  two.add({1, 1});
  two.add({2, 1});
  std::vector<FuzzyIndex::NewRecord> records;
  for (std::int64_t row = 1; row <= 2; ++row) {
    records.push_back({{random_digest(random), std::nullopt}, {row, two, 1, 1}});
  }
  ASSERT_TRUE(index.fits({.records = 2, .flag_sets = 2}));
  const Status more = index.fits({.records = 3, .flag_sets = 3});
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::kLimit);
  EXPECT_THAT(more.error().message, HasSubstr("more than 2 hashes on several lists"));
  ASSERT_EQ(index.add(records), 2U);
  EXPECT_FALSE(index.fits({.records = 1, .flag_sets = 1}));
  EXPECT_TRUE(index.fits({.records = 1, .flag_sets = 0}));
  index.remove(index.find(records[0].fingerprint.digest), std::nullopt);
  index.collect();
  EXPECT_TRUE(index.fits({.records = 1, .flag_sets = 1}));
}

/// A writer with an index that has few places for records on several lists.
class ListsMax : public ::testing::Test, protected StoreCalls {
 protected:
  static constexpr std::uint32_t kGroup = 4;
  static constexpr std::uint32_t kPlaces = 3 + kGroup;

  void SetUp() override {
    options_.hashfile = directory_.file("fuzzy.db");
    options_.hashes_max = 1000;
    options_.durability = Durability::kSync;  // so that updates submitted together are one group
    options_.sync = std::chrono::hours(1);
    options_.group_commit_max = kGroup;
    auto table = sqlite::FuzzyTable::open(options_.hashfile, Durability::kNormal).value();
    auto checkpointer = Checkpointer::open(options_.hashfile).value();
    writer_ = std::make_unique<Writer>(options_, index_, std::move(table), std::move(checkpointer),
                                       clock_, logger_);
    for (int i = 0; i < 4; ++i) texts_.push_back(random_fingerprint(random_));
    for (std::size_t i = 0; i < 3; ++i) {
      group({add(texts_[i], 1, 1), add(texts_[i], 1, 2), add(texts_[i], 1, 3), add(texts_[3])});
    }
  }
  std::vector<ErrorCode> group(const std::vector<Update>& updates) {
    std::vector<std::promise<ErrorCode>> outcomes(updates.size());
    for (std::size_t i = 0; i < updates.size(); ++i) {
      writer_->submit(updates[i], [&, i](const Status& outcome) {
        outcomes[i].set_value(outcome ? kDone : outcome.error().code);
      });
    }
    std::vector<ErrorCode> codes;
    for (auto& outcome : outcomes) codes.push_back(outcome.get_future().get());
    return codes;
  }
  std::vector<FlagValue> flags(const Fingerprint& text) {
    const auto match = index_.check(text.digest, nullptr, clock_.unix_seconds());
    return match ? flags_of(*match) : std::vector<FlagValue>();
  }
  static constexpr ErrorCode kDone = ErrorCode::kInternal;  // the writer never returns this

  shingled::testing::TemporaryDirectory directory_;
  EngineOptions options_;
  shingled::testing::ManualClock clock_;
  NullLogger logger_;
  Seeded random_{20'261'124};
  FuzzyIndex index_{{.flag_sets_max = kPlaces}};
  std::vector<Fingerprint> texts_;
  std::unique_ptr<Writer> writer_;
};

TEST_F(ListsMax, RefusesOnlyUpdatesThatNeedAPlace) {
  const ErrorCode no = ErrorCode::kLimit;
  EXPECT_THAT(group({add(texts_[3], 1, 2), add(texts_[0], 5, 1), remove(texts_[1], 3),
                     add(random_fingerprint(random_))}),
              ElementsAre(no, kDone, kDone, kDone));
  EXPECT_THAT(flags(texts_[3]), ElementsAre(FlagValue{1, 3}));
  EXPECT_THAT(flags(texts_[0]).front(), (FlagValue{1, 6}));
  EXPECT_EQ(flags(texts_[1]).size(), 2U);
  EXPECT_THAT(group({remove(texts_[2]), add(texts_[3], 1, 2), add(texts_[3], 1, 7),
                     remove(random_fingerprint(random_))}),
              ElementsAre(kDone, kDone, kDone, kDone))
      << "a place is free again";
  EXPECT_EQ(flags(texts_[3]).size(), 3U);
}

TEST_F(ListsMax, StillChangesHashesThatAreThere) {
  for (int round = 0; round < 20; ++round) {
    EXPECT_THAT(group({add(texts_[0], 1, 1), add(texts_[1], 1, 2), add(texts_[2], 1, 3),
                       remove(random_fingerprint(random_))}),
                ElementsAre(kDone, kDone, kDone, kDone));
  }
  EXPECT_EQ(flags(texts_[2]).front(), (FlagValue{3, 21}));
}

class FileBounds : public EngineTest {
 protected:
  void change(const char* sql) {
    open();
    ASSERT_TRUE(apply(add(random_fingerprint(random_))));
    engine_.reset();
    const auto database =
        sqlite::Database::open(options_.hashfile, sqlite::Database::Access::kReadWrite).value();
    const Status done = database->execute(sql);
    ASSERT_TRUE(done) << done.error().message;
  }
};

TEST_F(FileBounds, AStartReportsWhatIsWrongWithARow) {
  struct Case {
    const char* sql;
    const char* reason;
  };
  constexpr Case kCases[] = {
      {"UPDATE digests SET id = 0", "row 0: its id is out of range"},
      {"UPDATE digests SET id = -1", "row -1: its id is out of range"},
      {"UPDATE digests SET id = 1099511627776", "row 1099511627776: its id is out of range"},
      {"UPDATE digests SET flag = -1", "row 1: a flag is out of range"},
      {"UPDATE digests SET value = 2147483648", "row 1: a value is out of range"},
      {"UPDATE digests SET time = -1", "row 1: time or created is out of range"},
      {"UPDATE digests SET created = 4294967296", "row 1: time or created is out of range"},
      {"INSERT INTO extra_flags VALUES (1, -1, 1)", "row 1: a flag is out of range"},
      {"INSERT INTO extra_flags VALUES (1, 7, 1 << 40)", "row 1: a value is out of range"},
  };
  for (const Case& c : kCases) {
    engine_.reset();
    std::filesystem::remove(options_.hashfile);
    change(c.sql);
    const auto opened = Engine::open(options_, clock_, logger_);
    ASSERT_FALSE(opened) << c.sql;
    EXPECT_EQ(opened.error().code, ErrorCode::kCorrupt) << c.sql;
    EXPECT_THAT(opened.error().message, HasSubstr(c.reason)) << c.sql;
  }
}

TEST_F(FileBounds, RefusesARowWhoseIdDoesNotFit) {
  change("UPDATE digests SET id = 1099511627775");
  open();
  EXPECT_EQ(engine_->size(), 1U);
  const Status outcome = apply(add(random_fingerprint(random_)));
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("used up"));
}

TEST_F(FileBounds, TheWatcherCanEndLoading) {
  open();
  ASSERT_TRUE(apply(add(random_fingerprint(random_))));
  engine_.reset();
  std::uint64_t told = 0;
  const auto opened =
      Engine::open(options_, clock_, logger_, [&](std::uint64_t rows, std::uint64_t of) {
        EXPECT_EQ(of, 1U);
        told = rows;
        return false;
      });
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(told, 1U);
  open();
  EXPECT_EQ(engine_->size(), 1U);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)

std::uint64_t address_space() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

class NoMemory : public EngineTest {
 protected:
  static constexpr std::size_t kTexts = 120'000;
  enum Outcome : int { kSurvived, kNothingRefused, kForgot };

  /// In the child: adds until it is refused because memory ran out. It must still answer then.
  int run_out() {
    options_.durability = Durability::kNormal;
    open();
    rlimit limit{};
    limit.rlim_cur = limit.rlim_max = address_space() + (std::uint64_t{40} << 20U);
    if (::setrlimit(RLIMIT_AS, &limit) != 0) return kNothingRefused;
    constexpr std::size_t kGroup = 500;
    std::size_t made = 0;
    bool refused = false;
    for (; made + kGroup <= updates_.size() && !refused; made += kGroup) {
      try {
        refused = !engine_->apply(std::span(updates_).subspan(made, kGroup));
      } catch (const std::bad_alloc&) {
        refused = true;  // in this thread
      }
    }
    if (!refused) return kNothingRefused;
    return check(updates_.front().fingerprint) ? kSurvived : kForgot;
  }

  std::vector<Update> updates_;
};

TEST_F(NoMemory, IsAnErrorAndDoesNotEndTheProcess) {
  for (std::size_t i = 0; i < kTexts; ++i) updates_.push_back(add(random_fingerprint(random_)));
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(run_out());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "it died of signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), kSurvived);
  open();  // opening refuses a file with a duplicate digest
  EXPECT_GT(engine_->size(), 1000U);
}

#endif

}  // namespace
}  // namespace shingled::storage::engine
