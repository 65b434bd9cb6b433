// Covers milter/promotion/rule_status.cpp, too.
#include "milter/promotion/decision_desk.h"

#include <gtest/gtest.h>

#include <fstream>
#include <future>

#include "config/promotions/promoted_rules.h"
#include "milter/policy/policy_rules.h"
#include "milter/promotion/rule_status.h"
#include "tests/milter/history/kept_log.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::promotion {
namespace {

constexpr std::chrono::seconds kLong{60};

class DecisionDeskTest : public ::testing::Test {
 protected:
  /// Decides on another thread, as a request does.
  std::future<Status> decide(const std::optional<config::RuleDecision>& decision) {
    return std::async(std::launch::async,
                      [this, decision] { return desk_.decide("A", decision, kLong); });
  }
  /// Waits for a change, as the daemon does.
  std::uint64_t change() {
    for (;;)
      if (const auto change = desk_.take_change()) return *change;
  }

  shingled::testing::TemporaryDirectory folder_;
  std::string file_ = folder_.file("decisions");
  history::testing::KeptLog log_;
  DecisionDesk desk_{log_};
  const config::RuleDecision live_{"A", true, WallTime(std::chrono::seconds(5)), "ann"};
};

TEST_F(DecisionDeskTest, ADecisionIsKeptAndAnsweredWhenItIsInForce) {
  desk_.use(file_);
  EXPECT_FALSE(desk_.take_change());
  auto done = decide(live_);
  const std::uint64_t number = change();
  EXPECT_EQ(config::read_decisions(file_).value(), config::RuleDecisions{live_});
  desk_.put_in_force(number, true);
  EXPECT_TRUE(done.get());
  EXPECT_FALSE(desk_.take_change());

  DecisionDesk again(log_);
  again.use(file_);
  EXPECT_EQ(again.decisions(), config::RuleDecisions{live_});

  done = decide(std::nullopt);
  desk_.put_in_force(change(), true);
  EXPECT_TRUE(done.get());
  EXPECT_TRUE(desk_.decisions().empty());
}

TEST_F(DecisionDeskTest, WhatCannotBePutInForceIsSaid) {
  EXPECT_FALSE(desk_.decide("A", live_, kLong)) << "no settings are in use";
  desk_.use(file_);
  auto done = decide(live_);
  desk_.put_in_force(change(), false);
  EXPECT_EQ(done.get().error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(desk_.decide("A", live_, Duration::zero())) << "nobody takes it";
  done = decide(live_);
  static_cast<void>(change());
  desk_.close();
  EXPECT_FALSE(done.get()) << "the daemon ends";
}

TEST_F(DecisionDeskTest, WhatCannotBeKeptChangesNothing) {
  desk_.use("/nonexistent/decisions");
  EXPECT_FALSE(desk_.decide("A", live_, kLong));
  EXPECT_TRUE(desk_.decisions().empty());
  EXPECT_FALSE(desk_.take_change());
}

TEST_F(DecisionDeskTest, AFileThatCannotBeReadIsSetAside) {
  std::ofstream(file_) << "nonsense\n";
  desk_.use(file_);
  EXPECT_EQ(log_.lines_with("policy_decisions_unreadable"), 1U);
  EXPECT_TRUE(std::ifstream(file_ + ".unreadable"));
}

TEST(RuleStatus, NamesADecision) {
  Settings settings;
  settings.policy.rules = {{.name = "A", .condition = "local", .score = 4, .shadow = true},
                           {.name = "B", .condition = "html", .score = 4},
                           {.name = "C", .condition = "html", .score = 4, .shadow = true}};
  const config::RuleDecisions decisions = {{"A", true, WallTime(std::chrono::seconds(0)), "ann"},
                                           {"B", false, {}, ""}};
  config::use_decisions(decisions, settings);
  const auto rules = policy::policy_rules(settings).rules;
  ASSERT_NE(rules, nullptr);
  const auto statuses = statuses_of(settings, *rules, {}, decisions);
  EXPECT_EQ(statuses[0].state, "live");
  EXPECT_EQ(statuses[0].note, "live since 1970-01-01T00:00:00Z as decided by ann");
  EXPECT_EQ(statuses[1].state, "kept");
  EXPECT_EQ(statuses[2].state, "shadow");
  EXPECT_EQ(statuses[2].note, "not judged yet");
}

}  // namespace
}  // namespace shingled::milter::promotion
