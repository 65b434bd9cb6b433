#include "milter/cli/output/evidence_output.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/milter/rules/facts_builder.h"

namespace shingled::milter::cli {
namespace {

constexpr rules::Source kPlain = {.key = "policy", .title = {}};
constexpr rules::Source kTitled = {.key = "counters", .title = "counters", .unit = "pieces"};

/// Findings of a source that nobody knows.
rules::Findings made_up(const rules::Source& source) {
  rules::Findings findings;
  findings.source = &source;
  findings.evidence = {rules::made_up_evidence("MADE_UP", 5)};
  findings.asked = 40;
  findings.figures = {{"pieces", "Pieces counted.", 40}, {"hits", "By type.", 3, "type", "link"}};
  findings.notes = {"time limit reached"};
  return findings;
}

std::string printed(const rules::Findings& findings) {
  std::ostringstream out;
  std::ostringstream err;
  Console console(out, err);
  print_findings(findings, console);
  return out.str();
}

TEST(EvidenceOutput, ShowsASourceThatNobodyKnows) {
  EXPECT_EQ(findings_json(made_up(kTitled)).dump(),
            R"({"pieces":40,"notes":["time limit reached"],)"
            R"("hits":[{"symbol":"MADE_UP","mass":3}]})");
  EXPECT_EQ(printed(made_up(kTitled)),
            "  counters: 1 of 40 pieces hit\n"
            "    counter  3 of\\x0d4\n"
            "  note: time limit reached\n");
}

TEST(EvidenceOutput, ShowsASourceWithoutATitleAsAList) {
  EXPECT_EQ(findings_json(made_up(kPlain)).dump(), R"([{"symbol":"MADE_UP","mass":3}])");
  EXPECT_EQ(printed(made_up(kPlain)), "");
}

TEST(EvidenceOutput, HasNothingOfASourceThatWasNotAsked) {
  const rules::Findings findings = {&kTitled};
  EXPECT_TRUE(findings_json(findings).is_null());
  EXPECT_EQ(printed(findings), "");
}

}  // namespace
}  // namespace shingled::milter::cli
