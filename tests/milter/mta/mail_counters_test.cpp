#include "milter/mta/mail_counters.h"

#include <gtest/gtest.h>

namespace shingled::milter::mta {
namespace {

TEST(MailCounters, CountAnySourceOfEvidence) {
  constexpr rules::Source kCounters = {.key = "made_up", .title = {}};
  MailCounters counters;
  rules::Facts facts;
  rules::Findings& findings = facts.findings.emplace_back();
  findings.source = &kCounters;
  findings.figures = {{"pieces", "Pieces counted.", 40}, {"hits", "By type.", 3, "type", "link"}};
  counters.judged(facts, {}, {});
  MetricReport before;
  counters.report(before);
  EXPECT_EQ(before.total("shingled_made_up_pieces"), 0) << "it took no time, so it was not asked";

  findings.time = std::chrono::milliseconds(1);
  findings.incomplete = true;
  counters.judged(facts, {}, {});
  findings.figures[1].label_value = "client";
  counters.judged(facts, {}, {});
  MetricReport report;
  counters.report(report);
  EXPECT_EQ(report.total("shingled_made_up_pieces"), 80);
  EXPECT_EQ(report.total("shingled_made_up_hits"), 6);
  EXPECT_EQ(report.total("shingled_made_up_hits", {{"type", "link"}}), 3);
  EXPECT_EQ(report.total("shingled_mail_stage_seconds", {{"stage", "made_up_lookup"}}), 2);
  EXPECT_EQ(report.total("shingled_mail_incomplete"), 2);
}

}  // namespace
}  // namespace shingled::milter::mta
