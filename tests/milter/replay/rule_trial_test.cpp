// Covers milter/replay/rule_trial.cpp, too: a history on disk, tried with two threads,
// gives what a plain count of every message gives.
#include "milter/replay/rule_trial.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "milter/history/row_code.h"
#include "tests/milter/policy/policy_world.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::replay {
namespace {

using features::Feature;
using features::Sums;
using history::MessageRecord;
using policy::testing::compiled;
using policy::testing::rule;
using rules::Action;
using rules::Evidence;
using storage::counters::Measure;
using storage::counters::Period;
using storage::sqlite::HistoryRow;
using storage::sqlite::HistoryTable;

constexpr std::size_t kMessages = 3000;

/// What the rules below look at, in plain numbers.
struct Plain {
  std::optional<std::uint64_t> links;
  std::vector<std::optional<std::uint64_t>> link_spam;  ///< of each link domain, in 1d
  std::optional<std::uint64_t> sender_mass;             ///< in 24h, if the row has it
  bool has_day_window = false;
  bool bulk = false;
  bool incomplete = false;
  bool failed = false;
  bool unseen = false;
  double others = 0;  ///< score without rules
  double old_rules = 0;
  Action action{};
  std::uint8_t label = 0;
};

std::vector<policy::Rule> tried_rules() {
  std::vector<policy::Rule> out = {rule("LINKS", "link_domain.spam >= 3 in 1d", 5),
                                   rule("BULK_LINKS", "links >= 2 and BULK", 3),
                                   rule("KNOWN", "sender.mass >= 5 in 24h", -4),
                                   rule("NO_BULK", "not BULK and links < 2", 1),
                                   rule("SHADOW", "links >= 1", 100),
                                   rule("STOP", "links >= 4")};
  out[4].shadow = true;
  out[5].score.reset();
  out[5].action = Action::kReject;
  return out;
}

ActionOptions thresholds() {
  ActionOptions actions;
  actions.add_header = 4;
  actions.reject = 8;
  return actions;
}

Plain any_message(std::mt19937& random) {
  const auto below = [&](std::uint64_t most) { return random() % most; };
  Plain plain;
  if (below(10) > 0) plain.links = below(6);
  for (std::uint64_t i = below(3); i > 0; --i)
    plain.link_spam.push_back(below(5) == 0 ? std::nullopt : std::optional(below(6)));
  plain.has_day_window = below(3) > 0;
  if (plain.has_day_window && below(5) > 0) plain.sender_mass = below(9);
  plain.bulk = below(3) == 0;
  plain.incomplete = below(8) == 0;
  plain.failed = below(20) == 0;
  plain.unseen = below(20) == 0;
  plain.others = plain.bulk ? 3 : 0;
  plain.old_rules = static_cast<double>(below(3)) * 2;
  plain.action = plain.failed ? Action::kTempfail
                              : rules::choose_action(plain.others + plain.old_rules, thresholds());
  plain.label = static_cast<std::uint8_t>(below(8) == 0 ? 1 + below(2) : 0);
  return plain;
}

Sums amounts_of(Measure measure, std::uint64_t count) {
  Sums out;
  out.of(measure) = count;
  return out;
}

HistoryRow row_of_plain(const Plain& plain, std::int64_t time) {
  MessageRecord record;
  record.windows = {{Period::Unit::kDay, 1, 0}};
  if (plain.has_day_window)
    record.windows.insert(record.windows.begin(), {Period::Unit::kSlot, 144, 0});
  const std::size_t day = plain.has_day_window ? 1 : 0;
  const auto add = [&](PieceType type, std::optional<std::uint64_t> count, Measure measure,
                       std::size_t window) {
    record.pieces.push_back({type, 1, count.has_value()});
    for (std::size_t w = 0; w < record.windows.size(); ++w)
      record.sums.push_back(w == window && count ? amounts_of(measure, *count) : Sums{});
  };
  // One whose counters are not known, or that the row has no window for, is unknown all the same.
  if (plain.sender_mass || plain.has_day_window)
    add(PieceType::kSender, plain.sender_mass, Measure::kMass, 0);
  for (const auto& spam : plain.link_spam) add(PieceType::kLinkDomain, spam, Measure::kSpam, day);
  if (plain.links) record.features.set_number(Feature::kLinks, *plain.links);
  if (plain.bulk) record.evidence.push_back({"BULK", 3, Evidence::Effect::kCounts, false});
  if (plain.old_rules != 0)
    record.evidence.push_back({"OLD", plain.old_rules, Evidence::Effect::kCounts, true});
  record.evidence.push_back({"OLD_SHADOW", 50, Evidence::Effect::kDropped, true});
  record.score = plain.others + plain.old_rules;
  record.incomplete = plain.incomplete;
  record.failed = plain.failed;
  record.unseen = plain.unseen;
  return {.time = time,
          .queue_id = "Q" + std::to_string(time),
          .action = static_cast<std::uint8_t>(plain.action),
          .label = plain.label,
          .details = history::encode_record(record)};
}

/// Which rules fire, by plain thinking: what is not known makes no rule fire.
std::vector<bool> fires(const Plain& plain) {
  bool spammy = false;
  for (const auto& spam : plain.link_spam) spammy = spammy || (spam && *spam >= 3);
  const auto at_least = [&](std::uint64_t links) { return plain.links && *plain.links >= links; };
  const bool no_bulk = !plain.bulk && !plain.incomplete;
  return {spammy,
          at_least(2) && plain.bulk,
          plain.sender_mass && *plain.sender_mass >= 5,
          no_bulk && plain.links && *plain.links < 2,
          at_least(1),
          at_least(4)};
}

TrialReport counted_plainly(const std::vector<Plain>& messages) {
  TrialReport report;
  report.rules.resize(6);
  const std::vector<double> scores = {5, 3, -4, 1, 0, 0};
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Plain& plain = messages[i];
    if (plain.unseen) {
      ++report.unseen;
      continue;
    }
    const bool judged = !plain.failed && plain.action != Action::kTempfail;
    TrialCounts counts;
    counts.all = 1;
    counts.complained = plain.label == 1 ? 1 : 0;
    counts.rescued = plain.label == 2 ? 1 : 0;
    counts.spam =
        plain.label == 1 || (plain.label == 0 && judged && plain.action != Action::kPass) ? 1 : 0;
    counts.ham =
        plain.label == 2 || (plain.label == 0 && judged && plain.action == Action::kPass) ? 1 : 0;
    report.messages += counts;
    if (!plain.has_day_window) {
      ++report.other_windows;
      ++report.lacking["24h"];
    }
    const std::vector<bool> fired = fires(plain);
    double score = plain.others;
    for (std::size_t r = 0; r < fired.size(); ++r) {
      if (!fired[r]) continue;
      report.rules[r] += counts;
      score += scores[r];
    }
    Action to = rules::choose_action(score, thresholds());
    if (fired[5]) to = std::max(to, Action::kReject);
    if (plain.failed) to = plain.action;
    for (std::size_t a = 0; a < kTrialActions; ++a) {
      if (a <= static_cast<std::size_t>(plain.action)) report.before[a] += counts;
      if (a <= static_cast<std::size_t>(to)) report.after[a] += counts;
    }
    if (to == plain.action) continue;
    ++report.changes[static_cast<std::size_t>(plain.action)][static_cast<std::size_t>(to)];
    const auto time = static_cast<std::int64_t>(1000 + i * 7);
    report.examples.insert(report.examples.begin(), {time, "Q" + std::to_string(time), plain.action,
                                                     to, plain.others + plain.old_rules, score});
    if (report.examples.size() > kTrialExamples) report.examples.pop_back();
  }
  return report;
}

class RuleTrialTest : public ::testing::Test {
 protected:
  RuleTrialTest() {
    std::mt19937 random(17);
    std::vector<HistoryRow> rows;
    for (std::size_t i = 0; i < kMessages; ++i) {
      messages_.push_back(any_message(random));
      rows.push_back(row_of_plain(messages_.back(), static_cast<std::int64_t>(1000 + i * 7)));
    }
    auto table = HistoryTable::open(path_);
    EXPECT_TRUE(table);
    EXPECT_TRUE((*table)->write(rows, {}));
  }

  shingled::testing::TemporaryDirectory folder_;
  std::string path_ = folder_.file("history.db");
  std::vector<Plain> messages_;
  policy::CompiledRules rules_ = compiled(tried_rules(), {.symbols = {"BULK"}});
};

TEST_F(RuleTrialTest, EqualsAPlainCount) {
  std::uint64_t reports = 0;
  const auto tried = try_rules(path_, {}, rules_, thresholds(), [&](const storage::WorkDone& work) {
    EXPECT_LE(work.done, work.total);
    ++reports;
    return true;
  });
  ASSERT_TRUE(tried) << tried.error().message;
  const TrialReport plain = counted_plainly(messages_);
  EXPECT_EQ(tried->messages, plain.messages);
  EXPECT_EQ(tried->rules, plain.rules);
  EXPECT_EQ(tried->changes, plain.changes);
  EXPECT_EQ(tried->examples, plain.examples);
  EXPECT_EQ(tried->before, plain.before);
  EXPECT_EQ(tried->after, plain.after);
  EXPECT_EQ(*tried, plain);
  for (const TrialCounts& counts : tried->rules) EXPECT_GT(counts.all, 50U);
  EXPECT_EQ(tried->examples.size(), kTrialExamples);
}

TEST_F(RuleTrialTest, LooksOnlyAtTheTimesThatAreWanted) {
  const storage::sqlite::HistoryReader::Span span{1000 + 7 * 10, 1000 + 7 * 20};
  const auto watch = [](const storage::WorkDone&) { return true; };
  const auto tried = try_rules(path_, span, rules_, thresholds(), watch);
  ASSERT_TRUE(tried);
  EXPECT_EQ(tried->messages.all + tried->unseen, 10U);
  const auto nothing = try_rules(path_, {5, 6}, rules_, thresholds(), watch);
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->messages.all, 0U);
  EXPECT_EQ(nothing->rules.size(), 6U);
}

TEST_F(RuleTrialTest, EndsWhenItIsStopped) {
  const auto tried =
      try_rules(path_, {}, rules_, thresholds(), [](const storage::WorkDone&) { return false; });
  EXPECT_FALSE(tried);
}

TEST_F(RuleTrialTest, SkipsAndCountsWhatCannotBeRead) {
  {
    auto table = HistoryTable::open(path_);
    HistoryRow broken = row_of_plain(messages_[0], 1);
    broken.details = {1, 2, 3};
    HistoryRow newer = row_of_plain(messages_[0], 2);
    newer.details[0] = 99;
    HistoryRow no_action = row_of_plain(messages_[0], 3);
    no_action.action = 77;
    ASSERT_TRUE((*table)->write(std::vector{broken, newer, no_action}, {}));
  }
  const auto tried =
      try_rules(path_, {}, rules_, thresholds(), [](const storage::WorkDone&) { return true; });
  ASSERT_TRUE(tried);
  EXPECT_EQ(tried->broken, 3U);
  TrialReport without = *tried;
  without.broken = 0;
  EXPECT_EQ(without, counted_plainly(messages_));
}

// As when the message is judged: one of the pieces that are not there may be the one.
TEST_F(RuleTrialTest, APieceThatWasLeftOutIsUnknown) {
  Plain clean;
  clean.link_spam = {0};
  HistoryRow whole = row_of_plain(clean, 1);
  HistoryRow cut = row_of_plain(clean, 2);
  MessageRecord record;
  ASSERT_TRUE(history::decode_record(cut.details, record));
  record.left_out = true;
  cut.details = history::encode_record(record);
  ASSERT_TRUE((*HistoryTable::open(path_))->write(std::vector{whole, cut}, {}));
  const policy::CompiledRules rules =
      compiled({rule("CLEAN", "not link_domain.spam >= 3 in 1d", 1)}, {});
  const auto tried =
      try_rules(path_, {0, 3}, rules, thresholds(), [](const storage::WorkDone&) { return true; });
  ASSERT_TRUE(tried);
  EXPECT_EQ(tried->messages.all, 2U);
  EXPECT_EQ(tried->rules[0].all, 1U);
}

TEST(SpamShare, IsThatOfEqualAmountsOfSpamAndHam) {
  TrialCounts messages;
  messages.spam = 100;
  messages.ham = 1000;
  TrialCounts hits;
  EXPECT_EQ(spam_share(hits, messages), 0.5);
  hits.spam = 10;
  EXPECT_EQ(spam_share(hits, messages), 1.0);
  hits.ham = 100;
  EXPECT_EQ(spam_share(hits, messages), 0.5);
  EXPECT_EQ(spam_share(hits, {}), 0.5);
}

}  // namespace
}  // namespace shingled::milter::replay
