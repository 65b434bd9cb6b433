#include "milter/promotion/promoter.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <stop_token>

#include "config/load_settings.h"
#include "config/metrics/metric_report.h"
#include "config/promotions/judgement_file.h"
#include "config/promotions/promoted_rules.h"
#include "milter/history/row_code.h"
#include "milter/policy/policy_rules.h"
#include "storage/sqlite/history/history_table.h"
#include "tests/milter/history/kept_log.h"
#include "tests/support/manual_clock.h"
#include "tests/support/seeded_random.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::promotion {
namespace {

using config::Judgements;
using config::RuleStage;
using storage::sqlite::HistoryRow;
using storage::sqlite::HistoryTable;

constexpr std::uint8_t kSpam = 1;
constexpr std::uint8_t kHam = 2;

class PromoterTest : public ::testing::Test {
 protected:
  /// The settings that a daemon reads now, with what is out of shadow by the file.
  std::shared_ptr<const Settings> settings(const std::string& policy) {
    const auto loaded = config::load_settings(
        "history: {file: " + history_ + "}\npolicy: " + policy + "\n", "shingled.yaml");
    EXPECT_NE(loaded.settings, nullptr);
    return loaded.settings;
  }
  std::shared_ptr<const Settings> use(const std::string& policy) {
    auto out = settings(policy);
    promoter_.use(out, policy::policy_rules(*out).rules);
    return out;
  }
  /// So many messages, from a second on.
  void write(std::int64_t from, std::size_t count, std::uint64_t links, std::uint8_t label) {
    auto table = HistoryTable::open(history_);
    ASSERT_TRUE(table);
    std::vector<HistoryRow> rows;
    history::MessageRecord record;
    record.features.set_number(features::Feature::kLinks, links);
    for (std::size_t i = 0; i < count; ++i)
      rows.push_back({.time = (from + static_cast<std::int64_t>(i)) * 1'000'000,
                      .label = label,
                      .details = history::encode_record(record)});
    ASSERT_TRUE((*table)->write(rows, {}));
  }
  Judgements file() {
    const auto read = config::read_judgements(file_);
    EXPECT_TRUE(read);
    return read.value_or(Judgements{});
  }
  RuleStage stage(const char* rule) {
    const Judgements all = file();
    const auto* const found = all.find(rule);
    EXPECT_NE(found, nullptr);
    return found == nullptr ? RuleStage::kShadow : found->stage;
  }
  void a_day_later() {
    clock_.advance(std::chrono::hours(24));
    promoter_.look({});
  }

  shingled::testing::TemporaryDirectory folder_;
  std::string history_ = folder_.file("history.db");
  std::string file_ = history_ + ".judgements";
  shingled::testing::ManualClock clock_;
  shingled::testing::SeededRandom random_{1};
  history::testing::KeptLog log_;
  Promoter promoter_{clock_, random_, log_};
};

constexpr const char* kAuto =
    "{promote: auto, rules: {LINKS: {if: links >= 3, score: 5, shadow: yes}}}";
constexpr const char* kAsk =
    "{promote: ask, rules: {LINKS: {if: links >= 3, score: 5, shadow: yes}}}";

TEST_F(PromoterTest, ProposesWhatPeopleReported) {
  write(1000, 60, 3, kSpam);
  use(kAsk);
  promoter_.look({});
  EXPECT_EQ(stage("LINKS"), RuleStage::kProposed);
  EXPECT_EQ(file().rules[0].figures.messages, 60U);
  EXPECT_FALSE(promoter_.take_change()) << "a person decides";
  EXPECT_EQ(
      log_.lines_with("policy_promote rule=LINKS state=proposed messages=60 reported=60 rescued=0 "
                      "correspondents=0 share=0.000"),
      1U);
  EXPECT_EQ(log_.lines_with("accept=\"policy.live: [marks, LINKS]\""), 1U);
  a_day_later();
  EXPECT_EQ(log_.lines_with("policy_promote"), 1U) << "said once";
  EXPECT_EQ(log_.lines_with("policy_judged"), 2U);
}

TEST_F(PromoterTest, PutsARuleInForceAndTakesItBack) {
  write(1000, 60, 3, kSpam);
  use(kAuto);
  promoter_.look({});
  EXPECT_EQ(stage("LINKS"), RuleStage::kPromoted);
  EXPECT_TRUE(promoter_.take_change());
  EXPECT_FALSE(promoter_.take_change());
  const auto live = use(kAuto);
  EXPECT_TRUE(live->policy.rules[0].promoted);
  EXPECT_FALSE(policy::policy_rules(*live).rules->rules[0].shadow);

  // From now on nobody reports what is in the junk folder; that alone changes nothing.
  const std::int64_t now = clock_.wall().time_since_epoch().count();
  write(now + 10, 100, 3, 0);
  a_day_later();
  EXPECT_EQ(stage("LINKS"), RuleStage::kPromoted);
  EXPECT_FALSE(promoter_.take_change());

  write(now + 1000, 2, 3, kHam);
  a_day_later();
  EXPECT_EQ(stage("LINKS"), RuleStage::kReturned);
  EXPECT_TRUE(promoter_.take_change());
  EXPECT_FALSE(use(kAuto)->policy.rules[0].promoted);
  EXPECT_EQ(log_.lines_with("state=returned"), 1U);
  EXPECT_EQ(log_.lines_with("why=\"2 that people rescued\""), 1U);
}

TEST_F(PromoterTest, KnowsAfterARestartWhatWasInForce) {
  write(1000, 60, 3, kSpam);
  use(kAuto);
  promoter_.look({});
  Promoter next(clock_, random_, log_);
  const auto again = settings(kAuto);
  next.use(again, policy::policy_rules(*again).rules);
  next.look({});
  EXPECT_EQ(log_.lines_with("policy_judged"), 1U) << "once a day, also over a restart";
  EXPECT_TRUE(again->policy.rules[0].promoted);
}

TEST_F(PromoterTest, LeavesOutWhatIsKeptOrLive) {
  write(1000, 60, 3, kSpam);
  use("{live: [-LINKS, LIVE], rules: {LINKS: {if: links >= 3, score: 5, shadow: yes}, "
      "LIVE: {if: links >= 9, score: 5, shadow: yes}, OFF: {if: local, score: 5, shadow: yes, "
      "enabled: no}}}");
  promoter_.look({});
  EXPECT_TRUE(file().rules.empty());
  EXPECT_EQ(file().messages, 60U);
}

TEST_F(PromoterTest, WithoutAHistoryNothingIsProposed) {
  use(kAuto);
  promoter_.look({});
  EXPECT_EQ(file().messages, 0U);
  EXPECT_EQ(stage("LINKS"), RuleStage::kShadow);
  const auto loaded =
      config::load_settings("history: {enabled: no}\npolicy: " + std::string(kAsk), "s.yaml");
  promoter_.use(loaded.settings, policy::policy_rules(*loaded.settings).rules);
  EXPECT_EQ(log_.lines_with("policy_promote_off why=\"history.enabled is no\""), 1U);
  a_day_later();
  EXPECT_EQ(log_.lines_with("policy_judged"), 1U);
}

TEST_F(PromoterTest, JudgesNothingWhenItIsOff) {
  write(1000, 60, 3, kSpam);
  use("{promote: off, rules: {LINKS: {if: links >= 3, score: 5, shadow: yes}}}");
  promoter_.look({});
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(PromoterTest, SetsAFileAsideThatCannotBeRead) {
  std::ofstream(file_) << "something else\n";
  use(kAuto);
  EXPECT_EQ(log_.lines_with("policy_judgements_unreadable"), 1U);
  EXPECT_EQ(log_.lines_with("promoted=none"), 1U);
  EXPECT_TRUE(std::filesystem::exists(file_ + ".unreadable"));
  promoter_.look({});
  EXPECT_EQ(stage("LINKS"), RuleStage::kShadow) << "judged anew";
}

TEST_F(PromoterTest, ChangesNothingThatCannotBeKept) {
  write(1000, 60, 3, kSpam);
  use(kAuto);
  std::filesystem::create_directories(file_ + "/in the way");
  promoter_.look({});
  EXPECT_FALSE(promoter_.take_change());
  EXPECT_EQ(log_.lines_with("policy_judge_failed"), 1U);
  std::filesystem::remove_all(file_);
  promoter_.look({});
  EXPECT_FALSE(std::filesystem::exists(file_)) << "not again at once";
  clock_.advance(Promoter::kRetry);
  promoter_.look({});
  EXPECT_TRUE(promoter_.take_change());
}

TEST_F(PromoterTest, ABrokenHistoryIsToldOnce) {
  std::ofstream(history_) << "no database\n";
  use(kAuto);
  for (int hour = 0; hour < 3; ++hour) {
    promoter_.look({});
    clock_.advance(Promoter::kRetry);
  }
  EXPECT_EQ(log_.lines_with("policy_judge_failed"), 1U);
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(PromoterTest, StopsWhenItIsTold) {
  write(1000, 60, 3, kSpam);
  use(kAuto);
  std::stop_source stop;
  stop.request_stop();
  promoter_.look(stop.get_token());
  EXPECT_FALSE(std::filesystem::exists(file_));
  EXPECT_EQ(log_.lines_with("policy_judge_failed"), 0U) << "that is no failure";
}

// The figures of the old rules are of no use for the new ones.
TEST_F(PromoterTest, BeginsAnewWithTheRulesOfAReload) {
  write(1000, 60, 3, kSpam);
  /// Reloads in the middle of the work.
  class Reload final : public Clock {
   public:
    explicit Reload(const Clock& clock) : clock_(clock) {}
    [[nodiscard]] TimePoint now() const override {
      if (in_the_middle && ++calls_ == 3) in_the_middle();
      return clock_.now();
    }
    [[nodiscard]] WallTime wall() const override { return clock_.wall(); }
    std::function<void()> in_the_middle;

   private:
    const Clock& clock_;
    mutable int calls_ = 0;
  };
  Reload clock(clock_);
  Promoter promoter(clock, random_, log_);
  const auto first = settings(kAuto);
  promoter.use(first, policy::policy_rules(*first).rules);
  clock.in_the_middle = [&] {
    const auto next =
        settings("{promote: auto, rules: {WORDS: {if: words >= 3, score: 5, shadow: yes}}}");
    promoter.use(next, policy::policy_rules(*next).rules);
  };
  promoter.look({});
  EXPECT_EQ(stage("WORDS"), RuleStage::kShadow);
  EXPECT_EQ(file().rules.size(), 1U);
  EXPECT_EQ(log_.lines_with("policy_judged"), 1U);
}

TEST_F(PromoterTest, ReportsHowManyRulesStandWhere) {
  write(1000, 60, 3, kSpam);
  use(kAsk);
  promoter_.look({});
  MetricReport report;
  promoter_.report(report);
  EXPECT_EQ(report.total("shingled_policy_judged_rules", {{"state", "proposed"}}), 1);
  EXPECT_EQ(report.total("shingled_policy_judged_rules"), 1);
}

TEST_F(PromoterTest, ItsThreadEndsWithIt) {
  write(1000, 60, 3, kSpam);
  use(kAuto);
  promoter_.start();
  promoter_.close();
}

}  // namespace
}  // namespace shingled::milter::promotion
