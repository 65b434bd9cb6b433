#include "milter/history/message_record.h"

#include <gtest/gtest.h>

#include "milter/counters/message_origin.h"
#include "milter/history/row_code.h"
#include "tests/milter/history/judged.h"

namespace shingled::milter::history {
namespace {

using features::Sums;
using rules::Evidence;
using storage::counters::Measure;
using storage::counters::Period;
using testing::Judged;
using testing::kSite;

constexpr rules::Source kPolicy{.key = "policy", .title = "Policy"};
constexpr rules::Source kOther{.key = "fuzzy", .title = "Hashes"};

Evidence evidence(const char* symbol, double score,
                  Evidence::Effect effect = Evidence::Effect::kCounts) {
  Evidence out;
  out.symbol = symbol;
  out.score = score;
  out.effect = effect;
  return out;
}

TEST(MessageRow, NamesOfSendersDoNotDependOnTheirForm) {
  const std::uint64_t name = sender_id(kSite, "<a@example.org>");
  EXPECT_NE(name, 0U);
  EXPECT_EQ(sender_id(kSite, "a@Example.ORG"), name);
  EXPECT_NE(sender_id(kSite, "<b@example.org>"), name);
  EXPECT_NE(sender_id(CounterKeyBytes{1}, "<a@example.org>"), name) << "it is keyed";
  EXPECT_NE(sender_id(kSite, "<>"), 0U) << "bounces can be asked for";
  EXPECT_EQ(sender_id(kSite, ""), 0U);
}

TEST(MessageRow, HasWhatTheVerdictWasMadeOf) {
  Judged judged;
  judged.facts.features.set_number(features::Feature::kLinks, 3);
  judged.facts.counters.needs =
      std::make_shared<const features::CounterNeeds>(features::CounterNeeds{
          {PieceType::kSender, {{Period::Unit::kSlot, 1, 0}, {Period::Unit::kDay, 1, 0}}},
          {PieceType::kSenderRecipient, {{Period::Unit::kDay, 1, 0}}}});
  Sums amounts;
  amounts.of(Measure::kMass) = 7;
  judged.facts.counters.pieces = {
      {{PieceType::kSender, "a@example.org", ""}, true, {{}, amounts}},
      {{PieceType::kSenderRecipient, "a@example.org", "b@example.org"}, false, {}}};
  rules::Findings findings;
  findings.source = &kOther;
  findings.evidence = {evidence("BULK", 2), evidence("BULK", 5),
                       evidence("BULK", 1, Evidence::Effect::kSpared),
                       evidence("WEAK", 0, Evidence::Effect::kDropped)};
  rules::Findings policy;
  policy.source = &kPolicy;
  policy.evidence = {evidence("MANY_LINKS", 1.5)};
  judged.facts.findings = {findings, policy};
  judged.verdict.score = 6.5;
  judged.verdict.action = rules::Action::kAddHeader;

  const auto row = row_of(judged.message(), kSite, 12345);
  EXPECT_EQ(row.time, 12345);
  EXPECT_EQ(row.queue_id, "4Xyz");
  EXPECT_EQ(row.message, counters::history_id(kSite, "<1@example.org>"));
  EXPECT_EQ(row.sender, sender_id(kSite, "<a@example.org>"));
  EXPECT_EQ(row.action, 1);
  EXPECT_EQ(row.label, 0);
  MessageRecord record;
  ASSERT_TRUE(decode_record(row.details, record));
  EXPECT_EQ(record, record_of(judged.message(), kSite));
  EXPECT_EQ(record.score, 6.5);
  EXPECT_FALSE(record.unseen);
  EXPECT_EQ(record.features.number(features::Feature::kLinks), 3U);
  ASSERT_EQ(record.pieces.size(), 2U);
  EXPECT_EQ(record.pieces[0].shingle,
            static_cast<std::uint32_t>(piece_shingle(kSite, PieceType::kSender, "a@example.org")));
  EXPECT_TRUE(record.pieces[0].known);
  EXPECT_FALSE(record.pieces[1].known);
  EXPECT_EQ(record.sums, (std::vector{amounts, Sums{}}));
  EXPECT_EQ(record.evidence,
            (std::vector<EvidenceRecord>{{"BULK", 5, Evidence::Effect::kCounts, false},
                                         {"BULK", 1, Evidence::Effect::kSpared, false},
                                         {"MANY_LINKS", 1.5, Evidence::Effect::kCounts, true}}));
  const std::string bytes(row.details.begin(), row.details.end());
  EXPECT_EQ(bytes.find("example"), std::string::npos) << "no address in clear";
}

TEST(MessageRow, HasTheNamesThatAreWanted) {
  Judged judged;
  judged.sender = "<a+tag@Example.org> SIZE=1";
  judged.recipients = {"<b@example.net>", "c@example.net"};
  judged.subject = "Offer";
  judged.kept = {1, 2};
  auto row = row_of(judged.message(), kSite, 1);
  EXPECT_EQ(row.sender_name + row.recipients + row.subject, "");
  EXPECT_EQ(row.kept, judged.kept);
  judged.names = HistoryNames::kEnvelope;
  row = row_of(judged.message(), kSite, 1);
  EXPECT_EQ(row.sender_name, "a+tag@Example.org") << "as it was written";
  EXPECT_EQ(row.recipients, "b@example.net\nc@example.net\n");
  EXPECT_EQ(row.subject, "");
  judged.names = HistoryNames::kSubject;
  judged.sender = "<>";
  EXPECT_EQ(row_of(judged.message(), kSite, 1).sender_name, "<>");
  judged.subject = std::string(kSubjectBytesMax - 1, 'x') + "\xC3\xBC";
  judged.recipients.assign(1000, "<somebody@example.net>");
  row = row_of(judged.message(), kSite, 1);
  EXPECT_EQ(row.subject, std::string(kSubjectBytesMax - 1, 'x')) << "in whole characters";
  EXPECT_LE(row.recipients.size(), kRecipientsBytesMax);
  EXPECT_TRUE(row.recipients.ends_with("somebody@example.net\n"));
}

TEST(MessageRow, SaysWhatWasNotLookedAt) {
  Judged judged;
  EXPECT_FALSE(record_of(judged.message(), kSite).incomplete);
  judged.facts.truncated = true;
  EXPECT_TRUE(record_of(judged.message(), kSite).incomplete);
  judged.facts.stopped = true;
  EXPECT_TRUE(record_of(judged.message(), kSite).unseen);
  judged.queue_id = std::string(1000, 'Q');
  EXPECT_EQ(row_of(judged.message(), kSite, 1).queue_id.size(), 128U);
}

}  // namespace
}  // namespace shingled::milter::history
