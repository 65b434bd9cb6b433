// What becomes of times when a clock is wrong: ours, or a master's.
#include <gmock/gmock.h>

#include <future>

#include "storage/formats/verify.h"
#include "tests/storage/engine/engine_fixture.h"

namespace shingled::storage {
namespace {

using ::testing::IsEmpty;

constexpr StoreId kMaster{1};

class WrongClock : public EngineTest {
 protected:
  /// What a master says of a digest.
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
  VerifyReport verify() {
    return verify_file(options_.hashfile, {.now = clock_.unix_seconds()},
                       [](const WorkDone&) { return true; })
        .value();
  }
};

TEST_F(WrongClock, ThatStepsBackLeavesUpdatedWhereItIs) {
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
  EXPECT_EQ(check(known)->updated, clock_.unix_seconds()) << "a new one begins now";
  EXPECT_EQ(check(known)->created, clock_.unix_seconds());
  EXPECT_THAT(verify().warnings, IsEmpty());
}

TEST_F(WrongClock, ThatStepsBackLeavesTheOwnPartWhereItIs) {
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
  const VerifyReport report = verify();
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(report.warnings, IsEmpty());
}

}  // namespace
}  // namespace shingled::storage
