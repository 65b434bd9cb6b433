#include "milter/ratelimit/limit_evidence.h"

#include <gtest/gtest.h>

namespace shingled::milter::ratelimit {
namespace {

TEST(LimitEvidence, ShowsTheKeyOfTheBucketOnlyInTheLog) {
  const LimitMark mark = {
      "RATELIMIT", 1.0, {"to", "to:a@b", 6, 5, std::chrono::seconds(30), /*enforced=*/false}};
  const rules::Findings findings = limit_findings(mark);
  ASSERT_EQ(findings.evidence.size(), 1U);
  EXPECT_EQ(findings.evidence[0].symbol, "RATELIMIT");
  EXPECT_EQ(findings.evidence[0].score, 1.0);
  const rules::Explanation explanation = findings.evidence[0].explanation();
  EXPECT_EQ(explanation.log, "bucket to:a@b holds 6.0 of 5, again in 30s");
  EXPECT_EQ(explanation.header, "RATELIMIT; type=to drops=6.0 burst=5 again=30s");
  EXPECT_EQ(explanation.arithmetic, "2 tanh(6.0 / (2 x 5)) = 1.00");
  for (const rules::Detail& detail : explanation.details) {
    const auto* text = std::get_if<std::string>(&detail.value);
    EXPECT_TRUE(text == nullptr || text->find("a@b") == std::string::npos) << detail.name;
  }
}

TEST(LimitEvidence, IsEmptyWithoutAFullBucket) {
  EXPECT_TRUE(limit_findings(std::nullopt).evidence.empty());
}

}  // namespace
}  // namespace shingled::milter::ratelimit
