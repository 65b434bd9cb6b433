#include "milter/actions/header_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "milter/similar/similar_evidence.h"
#include "tests/milter/rules/facts_builder.h"

namespace shingled::milter::actions {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> removals(const std::vector<std::string>& inbound,
                                  const HeaderOptions& names = {}) {
  ForgedHeaders forged(names);
  for (const std::string& name : inbound) forged.see(name);
  std::vector<std::string> lines;
  for (const HeaderEdit& edit : forged.removals()) {
    EXPECT_EQ(edit.kind, HeaderEdit::Kind::kRemove);
    lines.push_back(edit.name + " " + std::to_string(edit.index));
  }
  return lines;
}

TEST(ForgedHeaders, LeavesOtherHeadersAlone) {
  EXPECT_THAT(removals({"Subject", "X-Shingled", "X-Shingled-Scores", "X-Sh", "", "X"}), IsEmpty());
}

TEST(ForgedHeaders, LeavesTheVerdictOfAnotherFilter) {
  const std::vector<std::string> theirs = {
      "X-Spam",         "X-Spam-Status", "X-Spam-Flag",     "X-Spam-Score",   "X-Spam-Level",
      "X-Spamd-Result", "X-Spam-Report", "X-Rspamd-Action", "X-Fuzzy-Result", "X-Virus-Scanned"};
  EXPECT_THAT(removals(theirs), IsEmpty());
}

TEST(ForgedHeaders, RemovesEveryCopyFromTheLastToTheFirst) {
  EXPECT_THAT(removals({"X-Shingled-Score", "To", "X-Shingled-Score", "X-Shingled-Score"}),
              ElementsAre("x-shingled-score 3", "x-shingled-score 2", "x-shingled-score 1"));
}

TEST(ForgedHeaders, CountsCopiesOfAnyCaseTogetherAsAnMtaDoes) {
  EXPECT_THAT(removals({"x-shingled-STATUS", "X-SHINGLED-status", "X-Shingled-Status"}),
              ElementsAre("x-shingled-status 3", "x-shingled-status 2", "x-shingled-status 1"));
}

TEST(ForgedHeaders, IgnoresSpaceBeforeTheColon) {
  EXPECT_THAT(removals({"X-Shingled-Status ", "X-Shingled-Status\t", "X-Shingled-Score \t "}),
              ElementsAre("x-shingled-score 1", "x-shingled-status 2", "x-shingled-status 1"));
}

TEST(ForgedHeaders, FollowsTheConfiguration) {
  HeaderOptions names;
  names.remove = {"X-Our-Mark", "x-our-mark"};
  EXPECT_THAT(removals({"X-Spam", "X-OUR-mark", "X-Shingled-Score", ""}, names),
              ElementsAre("x-our-mark 1"));
}

TEST(ForgedHeaders, RemovesManyCopies) {
  EXPECT_EQ(removals(std::vector<std::string>(10'000, "X-Shingled-Result")).size(), 10'000U);
}

struct ValueCase {
  const char* why;
  std::string text;
  std::string expected;
};

TEST(HeaderValue, IsPrintableAsciiWithinItsLines) {
  const ValueCase cases[] = {
      {"plain", "Yes", "Yes"},
      {"a line break cannot start a header", "Yes\r\nBcc: a@example.org",
       "Yes??Bcc: a@example.org"},
      {"NUL cannot end a header", std::string("a\0b", 3), "a?b"},
      {"8-bit", "caf\xc3\xa9", "caf??"},
      {"tab and DEL", "a\tb\x7f", "a?b?"},
      {"empty", "", ""},
      {"a long text folds at a space", std::string(60, 'a') + " " + std::string(30, 'b'),
       std::string(60, 'a') + "\n\t" + std::string(30, 'b')},
      {"a long word is not folded", std::string(100, 'a'), std::string(100, 'a')},
      {"a folded line is not blank", std::string(76, 'a') + "   ", std::string(76, 'a') + "   "},
  };
  for (const ValueCase& c : cases) EXPECT_EQ(header_value(c.text, 6), c.expected) << c.why;
}

TEST(HeaderValue, IsCut) { EXPECT_EQ(header_value(std::string(5000, 'x'), 6).size(), 900U); }

std::vector<std::string> headers(const rules::Facts& unweighed, const HeaderOptions& names = {}) {
  const RuleOptions rule;
  const rules::Facts facts = rules::weighed(unweighed, std::span(&rule, 1));
  const rules::Verdict verdict = rules::judge(facts, {}, FailurePolicy::kAccept);
  std::vector<std::string> lines;
  for (const HeaderEdit& edit : verdict_headers(verdict, facts, names)) {
    lines.push_back(edit.name + ": " + edit.value);
  }
  return lines;
}

TEST(VerdictHeaders, SayNothingAboutAnUnknownMessage) { EXPECT_THAT(headers({}), IsEmpty()); }

TEST(VerdictHeaders, HaveMarkScoreStatusAndResult) {
  rules::Facts facts;
  facts.lookups = {rules::hit_lookup(mime::PartKind::kText, 0.9375F, {{12, 9}})};
  EXPECT_THAT(
      headers(facts),
      ElementsAre("X-Spam: Yes", "X-Shingled-Score: 6.90",
                  "X-Shingled-Status: Yes, score=6.90 required=4.00 action=add_header\n\t"
                  "symbols=FUZZY_PROB(6.90)",
                  "X-Shingled-Result: FUZZY_PROB; flag=12 value=9 prob=0.94 digest=ababababab"));
}

TEST(VerdictHeaders, DoNotMarkBelowTheThreshold) {
  rules::Facts facts;
  facts.lookups = {rules::hit_lookup(mime::PartKind::kText, 0.625F, {{12, 9}})};
  const auto lines = headers(facts);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], "X-Shingled-Score: 1.97");
  EXPECT_THAT(lines[1], ::testing::StartsWith("X-Shingled-Status: No, score=1.97 required=4.00"));
}

TEST(VerdictHeaders, TellThatAMessageCouldNotBeJudged) {
  rules::Facts facts;
  facts.lookups = {rules::failed_lookup(rules::Lookup::Outcome::kTimeout)};
  EXPECT_THAT(
      headers(facts),
      ElementsAre("X-Shingled-Status: Unknown, score=0.00, reason=1 of 1 look-ups failed, first\n\t"
                  "timeout of rule remote"));
}

TEST(VerdictHeaders, AreBoundedInNumber) {
  rules::Facts facts;
  facts.lookups.assign(500, rules::hit_lookup(mime::PartKind::kText, 1.0F, {{11, 9}}));
  const auto edits = headers(facts);
  ASSERT_EQ(edits.size(), 3U + 32U + 1U);
  EXPECT_EQ(edits.back(), "X-Shingled-Result: and 468 more");
}

TEST(VerdictHeaders, LeaveOutHeadersWithoutAName) {
  rules::Facts facts;
  facts.lookups = {rules::hit_lookup(mime::PartKind::kText, 1.0F, {{11, 20}})};
  EXPECT_THAT(headers(facts, HeaderOptions{"", "", "", ""}), IsEmpty());
}

TEST(VerdictHeaders, NameTheKnownFile) {
  similar::SimilarFacts files;
  similar::SimilarHit& hit = files.hits.emplace_back();
  hit.list = "bad";
  hit.sample = "evil\r\nX-Spam: No.exe";
  hit.file = "setup.zip";
  hit.entry = "../run.exe";
  hit.score = 93;
  hit.shared = 10;
  hit.asked = 40;
  SimilarList list;
  list.name = "bad";
  list.symbol = "KNOWN_BAD";
  list.score = 8;
  rules::Facts facts;
  facts.findings = {similar::similar_findings(files, std::span(&list, 1), {})};
  EXPECT_THAT(
      headers(facts),
      ElementsAre("X-Spam: Yes", "X-Shingled-Score: 7.44",
                  "X-Shingled-Status: Yes, score=7.44 required=4.00 action=add_header\n"
                  "\tsymbols=KNOWN_BAD(7.44)",
                  "X-Shingled-Result: KNOWN_BAD; similarity 93 and 10 of 40 n-grams (25 %) to\n"
                  "\tevil??X-Spam: No.exe of bad in setup.zip!../run.exe"));
}

/// Findings of a source that no code knows by name.
rules::Findings made_up(const rules::Source& source, std::size_t count) {
  rules::Findings findings;
  findings.source = &source;
  findings.evidence.assign(count, rules::made_up_evidence("MADE_UP", 5));
  return findings;
}

TEST(VerdictHeaders, ShowAnySourceOfEvidence) {
  constexpr rules::Source kCounters = {.key = "counters", .title = {}};
  rules::Facts facts;
  facts.findings = {made_up(kCounters, 1)};
  EXPECT_THAT(headers(facts),
              ElementsAre("X-Spam: Yes", "X-Shingled-Score: 5.00",
                          "X-Shingled-Status: Yes, score=5.00 required=4.00 action=add_header\n\t"
                          "symbols=MADE_UP(5.00)",
                          "X-Shingled-Result: MADE_UP; mass=3 of=4"));
}

TEST(VerdictHeaders, BoundAllSourcesTogetherExceptThoseThatAreAlwaysShown) {
  constexpr rules::Source kCounters = {.key = "counters", .title = {}};
  constexpr rules::Source kLimits = {.key = "limit", .title = {}, .always_shown = true};
  rules::Facts facts;
  facts.lookups.assign(30, rules::hit_lookup(mime::PartKind::kText, 1.0F, {{11, 9}}));
  facts.findings = {made_up(kLimits, 1), made_up(kCounters, 5)};
  const auto lines = headers(facts);
  ASSERT_EQ(lines.size(), 3U + 32U + 2U);
  EXPECT_EQ(lines[32],
            "X-Shingled-Result: FUZZY_DENIED; flag=11 value=9 prob=1.00 digest=ababababab");
  EXPECT_EQ(lines[34], "X-Shingled-Result: MADE_UP; mass=3 of=4");
  EXPECT_EQ(lines[35], "X-Shingled-Result: and 3 more");
  EXPECT_EQ(lines[36], "X-Shingled-Result: MADE_UP; mass=3 of=4");
}

}  // namespace
}  // namespace shingled::milter::actions
