// Covers milter/reports/count_desk.cpp, and of milter/reports/report_desk.h:
// nobody else waits while a report waits.
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <future>
#include <thread>

#include "config/base/guarded.h"
#include "tests/milter/reports/desk.h"

namespace shingled::milter::reports {
namespace {

/// Longer than any test waits that succeeds.
constexpr std::chrono::seconds kPatience{30};

/// A store whose questions, updates, or both have no answer until the test opens it.
/// Threads: any thread.
class GatedStore final : public storage::FuzzyStore {
 public:
  explicit GatedStore(bool blocks_questions)
      : blocks_questions_(blocks_questions), behind_(testing::FakeStore::Commit::kWhenTold) {}

  std::optional<storage::Match> check(const Digest& digest, const Shingles* shingles,
                                      std::uint32_t now) const override {
    return behind_.check(digest, shingles, now);
  }
  bool check_batch(std::span<const storage::Question> questions, std::uint32_t now,
                   std::span<std::optional<storage::Match>> answers) const override {
    if (blocks_questions_) {
      MutexLock lock(mutex_);
      ++asking_;
      opened_.wait(lock.as_lock(), [this]() SHINGLED_REQUIRES(mutex_) { return is_open_; });
      --asking_;
    }
    return behind_.check_batch(questions, now, answers);
  }
  std::vector<storage::Match> check_all(const Fingerprint& fingerprint, std::uint32_t now,
                                        std::size_t most) const override {
    return behind_.check_all(fingerprint, now, most);
  }
  void submit(storage::Update update, storage::UpdateDone done) override {
    behind_.submit(std::move(update), std::move(done));
  }
  std::uint64_t size() const override { return behind_.size(); }

  /// Whether somebody waits for an answer.
  bool is_waited_for() const {
    const MutexLock lock(mutex_);
    return asking_ > 0 || behind_.waiting() > 0;
  }
  /// Answers everything, until `done`.
  void open_until(const std::function<bool()>& done) {
    {
      const MutexLock lock(mutex_);
      is_open_ = true;
    }
    opened_.notify_all();
    EXPECT_TRUE(testing::eventually([&] {
      behind_.commit();
      return done();
    }));
  }

 private:
  const bool blocks_questions_;
  testing::FakeStore behind_;
  mutable Mutex mutex_;
  mutable std::condition_variable opened_;
  mutable int asking_ SHINGLED_GUARDED_BY(mutex_) = 0;
  bool is_open_ SHINGLED_GUARDED_BY(mutex_) = false;
};

struct WaitingDesk : Desk {
  void connect(storage::FuzzyStore& to) {
    settings.reports.trusted_reporters = {"ann"};
    desk = std::make_unique<ReportDesk>(clock, random, logger);
    desk->connect({.store = &to,
                   .counters = [this] { return counters; },
                   .site = [] { return std::optional(kTestSite); },
                   .label = nullptr,
                   .patience = {kPatience, kPatience}});
    desk->use(std::make_shared<const Settings>(settings));
  }
  std::future<Result<ReportReceipt>> take_meanwhile() {
    return std::async(std::launch::async,
                      [this] { return take(ReportKind::kSpam, "ann", mail(1)); });
  }
  static bool is_done(const std::future<Result<ReportReceipt>>& report) {
    return report.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
};

TEST_F(WaitingDesk, SettingsAndQuestionsDoNotWaitForAReportThatWaitsForTheStorage) {
  for (const bool blocks_questions : {false, true}) {
    settings.reports.file = directory.file(blocks_questions ? "asked.db" : "taught.db");
    GatedStore gated(blocks_questions);
    connect(gated);
    auto report = take_meanwhile();
    ASSERT_TRUE(testing::eventually([&] { return gated.is_waited_for(); }));
    desk->use(std::make_shared<const Settings>(settings));
    EXPECT_TRUE(desk->reporters(10).has_value());
    const auto cases = desk->cases(0, 10, false);
    ASSERT_TRUE(cases.has_value());
    EXPECT_EQ(cases->empty(), blocks_questions) << "what is in the file is shown";
    if (!cases->empty()) {
      EXPECT_TRUE(desk->find_case(cases->front().id, false).has_value());
    }
    EXPECT_FALSE(is_done(report)) << "it waited all the time";
    gated.open_until([&] { return is_done(report); });
    const auto receipt = report.get();
    ASSERT_TRUE(receipt.has_value()) << receipt.error().message;
    EXPECT_GT(receipt->changed, 0U);
  }
}

TEST_F(WaitingDesk, ClosingEndsAReportThatWaitsForTheStorageAndItMayComeAgain) {
  GatedStore gated(false);
  connect(gated);
  auto report = take_meanwhile();
  auto next = take_meanwhile();
  ASSERT_TRUE(testing::eventually([&] { return gated.is_waited_for(); }));
  const auto begun = std::chrono::steady_clock::now();
  desk->close();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, kPatience / 2);
  EXPECT_FALSE(report.get().has_value());
  EXPECT_FALSE(next.get().has_value()) << "those that wait for their turn, too";
  EXPECT_EQ(take(ReportKind::kSpam, "ann", mail(1)).error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(counters->additions().empty());

  open();
  spam("ann", mail(1));
  EXPECT_FALSE(counters->additions().empty());
}

}  // namespace
}  // namespace shingled::milter::reports
