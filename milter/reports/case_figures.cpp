#include "milter/reports/case_figures.h"

#include <fmt/format.h>

#include <array>

namespace shingled::milter::reports {

namespace {

/// More people than that are not asked for.
constexpr std::uint64_t kPeopleMost = 100'000;

/// "1 newcomer says", "2 people say"
std::string who_say(const Side& side) {
  const bool one = side.people == 1;
  const char* who =
      side.has_resident ? (one ? "person" : "people") : (one ? "newcomer" : "newcomers");
  return fmt::format("{} {} {}", side.people, who, one ? "says" : "say");
}

/// How many residents must say spam until the hash has this weight.
std::optional<std::uint64_t> people_for(std::int32_t weight,
                                        const storage::sqlite::ReportedHash& hash,
                                        const Side& against, const ReportPolicy& policy) {
  const auto reaches = [&](std::uint64_t count) {
    Sides sides;
    sides.ham = against;
    sides.spam.people = count;
    sides.spam.thousandths = static_cast<std::int64_t>(count) * 1000;
    sides.spam.of_standing = sides.spam.thousandths;
    sides.spam.has_resident = true;
    return weight_of_spam(hash, sides, policy) >= weight;
  };
  if (!reaches(kPeopleMost)) return std::nullopt;
  std::uint64_t too_few = 0;
  std::uint64_t enough = kPeopleMost;
  while (enough - too_few > 1) {
    const std::uint64_t middle = too_few + (enough - too_few) / 2;
    (reaches(middle) ? enough : too_few) = middle;
  }
  return enough;
}

}  // namespace

std::string_view to_string(CaseEffect effect) {
  static constexpr std::array<std::string_view, 4> kWords = {"noted", "marked", "rejected",
                                                             "closed"};
  return kWords[static_cast<std::size_t>(effect)];
}

CaseFigures figures_of(const storage::sqlite::ReportedHash& hash,
                       std::span<const storage::sqlite::Supporter> people,
                       const ReportPolicy& policy) {
  CaseFigures out;
  out.sides = sides_of(people, policy);
  const ListSteps steps = policy.steps_of(hash.flag);
  const std::int32_t weight = wanted_weight(hash, people, policy);
  if (hash.closed) {
    out.effect = CaseEffect::kClosed;
  } else if (steps.reject && weight >= *steps.reject) {
    out.effect = CaseEffect::kRejected;
  } else if (weight > 0 && weight >= steps.header) {
    out.effect = CaseEffect::kMarked;
  }
  out.marked_at = people_for(steps.header, hash, out.sides.ham, policy);
  if (steps.reject) out.rejected_at = people_for(*steps.reject, hash, out.sides.ham, policy);
  return out;
}

std::string to_text(const CaseFigures& figures) {
  const Side& spam = figures.sides.spam;
  const Side& ham = figures.sides.ham;
  std::string text;
  if (spam.people > 0 || ham.people == 0) {
    text = who_say(spam) + " spam";
    if (ham.people > 0) text += fmt::format(", {} wanted", ham.people);
  } else {
    text = who_say(ham) + " it is wanted";
  }
  const std::string only =
      spam.people > 0 && !spam.has_resident ? "; newcomers alone never get it rejected" : "";
  switch (figures.effect) {
    case CaseEffect::kClosed:
      return text + ": closed, until somebody trusted says spam";
    case CaseEffect::kRejected:
      return text + ": rejected from now on";
    case CaseEffect::kMarked:
      text += ": marked from now on";
      if (!only.empty()) return text + only;
      if (figures.rejected_at) {
        const bool mixed = spam.thousandths > spam.of_standing;
        text += fmt::format("; rejected when {}{} do", *figures.rejected_at,
                            mixed ? " who are not newcomers" : "");
      }
      return text;
    case CaseEffect::kNoted:
      break;
  }
  if (!only.empty() && ham.has_resident)
    return text + ": not marked; newcomers alone do not count against those who live here";
  if (figures.marked_at && spam.people > 0)
    return text + fmt::format(": marked for everybody when {} do", *figures.marked_at);
  return text + ": not marked";
}

}  // namespace shingled::milter::reports
