#include "milter/rules/white.h"

#include <gtest/gtest.h>

#include "milter/rules/verdict.h"
#include "tests/milter/rules/facts_builder.h"

namespace shingled::milter::rules {
namespace {

using mime::PartKind;
using mime::PartPlace;

/// A hit of part `index`; flag 11 counts against the message, 13 for it.
Lookup hit_of(std::uint32_t index, PartPlace place, PartKind kind, std::uint32_t flag) {
  Lookup lookup = hit_lookup(kind, 1.0F, {{flag, 100}});
  lookup.hash.index = index;
  lookup.hash.place = place;
  return lookup;
}

struct WhiteCase {
  const char* why;
  std::vector<Lookup> lookups;
  double score;
  Action action;
};

const WhiteCase kCases[] = {
    {"a good body speaks for the message",
     {hit_of(1, PartPlace::kBody, PartKind::kText, 13),
      hit_of(2, PartPlace::kAttachment, PartKind::kAttachment, 11)},
     9.99 - 10,
     Action::kPass},
    {"a good text attached to spam says nothing of the spam",
     {hit_of(1, PartPlace::kBody, PartKind::kText, 11),
      hit_of(2, PartPlace::kText, PartKind::kText, 13)},
     20,
     Action::kReject},
    {"a good file beside spam says nothing of the spam",
     {hit_of(1, PartPlace::kBody, PartKind::kHtml, 11),
      hit_of(2, PartPlace::kAttachment, PartKind::kAttachment, 13),
      hit_of(3, PartPlace::kAttachment, PartKind::kAttachment, 13)},
     20,
     Action::kReject},
    {"a good file takes away what was found against itself",
     {hit_of(2, PartPlace::kAttachment, PartKind::kAttachment, 11),
      hit_of(2, PartPlace::kAttachment, PartKind::kAttachment, 13)},
     0,
     Action::kPass},
    {"not more: it does not count as good for the rest",
     {hit_of(2, PartPlace::kArchive, PartKind::kAttachment, 13)},
     0,
     Action::kPass},
};

TEST(White, OfAPartThatIsNotTheBodySpeaksForItsPartAlone) {
  RuleOptions rule;
  rule.flags = FlagMap(
      {{"denied", 11, "FUZZY_DENIED", 10.0, 20.0}, {"white", 13, "FUZZY_WHITE", 2.0, -10.0}});
  for (const auto& [why, lookups, score, action] : kCases) {
    Facts facts;
    facts.lookups = lookups;
    facts.text = TextAmount::kLong;
    const Verdict verdict = judge(facts, std::span(&rule, 1), {}, FailurePolicy::kAccept);
    EXPECT_NEAR(verdict.score, score, 0.001) << why;
    EXPECT_EQ(verdict.action, action) << why;
  }
}

TEST(White, SparesNoMoreThanItsOwnAmount) {
  RuleOptions rule;
  rule.flags = FlagMap(
      {{"denied", 11, "FUZZY_DENIED", 10.0, 20.0}, {"white", 13, "FUZZY_WHITE", 2.0, -3.0}});
  Facts facts;  // no text: the file is the message, and not held
  facts.lookups = {hit_of(2, PartPlace::kAttachment, PartKind::kAttachment, 11),
                   hit_of(2, PartPlace::kAttachment, PartKind::kAttachment, 13)};
  const Verdict verdict = judge(facts, std::span(&rule, 1), {}, FailurePolicy::kAccept);
  EXPECT_NEAR(verdict.score, 17, 0.001);
  const Findings findings = fuzzy_findings(facts, std::span(&rule, 1), {});
  EXPECT_EQ(findings.evidence[0].account().arithmetic,
            "1.00 (100 of 10) x 1.00 certain x 20.00 = 20.00, 3.00 spared by a white hit");
  EXPECT_EQ(findings.evidence[1].account().arithmetic,
            "1.00 (100 of 2) x 1.00 certain x -3.00 = -3.00, for its own part alone");
}

}  // namespace
}  // namespace shingled::milter::rules
