#include "milter/reports/case_figures.h"

#include <gtest/gtest.h>

namespace shingled::milter::reports {
namespace {

using storage::sqlite::ReportedHash;
using storage::sqlite::ReportKind;
using storage::sqlite::Supporter;

std::vector<Supporter> say(std::size_t spam, std::size_t ham, bool residents) {
  std::vector<Supporter> out;
  for (std::size_t i = 0; i < spam + ham; ++i) {
    out.push_back(
        {{.name = i + 10, .resident = residents}, i < spam ? ReportKind::kSpam : ReportKind::kHam});
  }
  return out;
}

TEST(CaseFigures, SayWhatItTakes) {
  struct Row {
    std::size_t spam;
    std::size_t ham;
    bool residents;
    CaseEffect effect;
    const char* text;
  };
  for (const Row& row : std::initializer_list<Row>{
           {1, 0, true, CaseEffect::kNoted, "1 person says spam: marked for everybody when 2 do"},
           {2, 0, true, CaseEffect::kMarked,
            "2 people say spam: marked from now on; rejected when 5 do"},
           {5, 0, true, CaseEffect::kRejected, "5 people say spam: rejected from now on"},
           {3, 2, true, CaseEffect::kNoted,
            "3 people say spam, 2 wanted: marked for everybody when 4 do"},
           {4, 1, true, CaseEffect::kMarked,
            "4 people say spam, 1 wanted: marked from now on; rejected when 6 do"},
           {0, 1, true, CaseEffect::kNoted, "1 person says it is wanted: not marked"},
           {1, 0, false, CaseEffect::kNoted,
            "1 newcomer says spam: marked for everybody when 2 do"},
           {40, 0, false, CaseEffect::kMarked,
            "40 newcomers say spam: marked from now on; newcomers alone never get it rejected"},
       }) {
    const ReportedHash hash{.flag = 11, .per_spam = 1, .per_ham = -1};
    const CaseFigures figures = figures_of(hash, say(row.spam, row.ham, row.residents), {});
    EXPECT_EQ(figures.effect, row.effect) << row.text;
    EXPECT_EQ(to_text(figures), row.text);
  }
}

TEST(CaseFigures, NewcomersBesideThoseWhoLiveHere) {
  std::vector<Supporter> who = say(3, 0, false);
  who.push_back({{.name = 98, .resident = true}, ReportKind::kSpam});
  who.push_back({{.name = 99, .resident = true}, ReportKind::kSpam});
  const ReportedHash hash{.flag = 11, .per_spam = 1, .per_ham = -1};
  EXPECT_EQ(to_text(figures_of(hash, who, {})),
            "5 people say spam: marked from now on; rejected when 5 who are not newcomers do");
}

TEST(CaseFigures, NewcomersAgainstSomebodyWhoLivesHere) {
  std::vector<Supporter> who = say(20, 0, false);
  who.push_back({{.name = 99, .resident = true}, ReportKind::kHam});
  const ReportedHash hash{.flag = 11, .per_spam = 1, .per_ham = -1};
  EXPECT_EQ(to_text(figures_of(hash, who, {})),
            "20 newcomers say spam, 1 wanted: not marked; newcomers alone do not count against "
            "those who live here");
}

TEST(CaseFigures, AClosedCaseSaysSo) {
  const ReportedHash hash{.flag = 11, .per_spam = 1, .per_ham = -1, .closed = true};
  const CaseFigures figures = figures_of(hash, say(7, 0, true), {});
  EXPECT_EQ(figures.effect, CaseEffect::kClosed);
  EXPECT_EQ(to_text(figures), "7 people say spam: closed, until somebody trusted says spam");
}

TEST(CaseFigures, NeverIsNoNumber) {
  ReportPolicy policy;
  policy.steps[11] = {.header = 2, .reject = std::nullopt};
  const ReportedHash hash{.flag = 11, .per_spam = 1, .per_ham = -1};
  const CaseFigures figures = figures_of(hash, say(2, 0, true), policy);
  EXPECT_EQ(figures.marked_at, 2U);
  EXPECT_EQ(figures.rejected_at, std::nullopt);
  EXPECT_EQ(to_text(figures), "2 people say spam: marked from now on");
}

}  // namespace
}  // namespace shingled::milter::reports
