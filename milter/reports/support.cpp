#include "milter/reports/support.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "milter/rules/score.h"

namespace shingled::milter::reports {

using storage::sqlite::ReportedHash;
using storage::sqlite::ReporterRow;
using storage::sqlite::ReportKind;
using storage::sqlite::Supporter;

namespace {

constexpr std::int64_t kOnePerson = 1000;
constexpr std::int64_t kWeightMost = 1'000'000;
/// More people than so many times those who reject add nothing.
constexpr std::int64_t kEnough = 4;

/// The weight of `people` on a list where one of them weighs 1.
std::int64_t scaled(std::int64_t people, bool may_reject, const ListSteps& steps,
                    const ReportPolicy& policy) {
  const std::int64_t least = policy.reporters_min;
  if (people < least) return people;  // of somebody trusted
  people = std::min(people, kEnough * std::max<std::int64_t>(policy.reject_people, least));
  if (!steps.reject) return std::int64_t{steps.header} + people - least;
  if (may_reject && people >= policy.reject_people)
    return std::int64_t{steps.rejects} + people - policy.reject_people;
  return steps.marks;
}

std::int64_t weight_of_wanted(const ReportedHash& hash, const Sides& sides,
                              const ReportPolicy& policy) {
  const std::int64_t people = (sides.ham.thousandths - sides.spam.thousandths) / kOnePerson;
  const bool suffices = sides.ham.trusted > 0 || people >= policy.reporters_min;
  return suffices && sides.ham.has_resident ? people * hash.per_ham : 0;
}

}  // namespace

storage::people::Weights weights_of(const ReportOptions& options) {
  return {.trusted = options.trusted_weight, .newcomers_speak = options.newcomers_max > 0};
}

Standing standing_of(const ReporterRow& reporter, const ReportPolicy& policy) {
  if (policy.trusted.contains(reporter.name)) return Standing::kTrusted;
  return policy.all_reside || reporter.resident ? Standing::kResident : Standing::kNewcomer;
}

double reputation(const ReporterRow& reporter) {
  return (static_cast<double>(reporter.agreed) + 1) /
         (static_cast<double>(reporter.agreed) + static_cast<double>(reporter.disagreed) + 2);
}

Sides sides_of(std::span<const Supporter> people, const ReportPolicy& policy) {
  Sides out;
  std::int64_t newcomers_of_spam = 0;
  std::int64_t newcomers_of_ham = 0;
  for (const Supporter& one : people) {
    const bool spam = one.kind == ReportKind::kSpam;
    Side& side = spam ? out.spam : out.ham;
    ++side.people;
    const Standing standing = standing_of(one.reporter, policy);
    if (standing == Standing::kNewcomer) {
      ++(spam ? newcomers_of_spam : newcomers_of_ham);
      continue;
    }
    const bool trusted = standing == Standing::kTrusted;
    side.has_resident = true;
    side.trusted += trusted ? 1 : 0;
    side.of_standing += kOnePerson * (trusted ? std::int64_t{policy.trusted_weight} : 1);
  }
  out.spam.thousandths = out.spam.of_standing;
  out.ham.thousandths = out.ham.of_standing;
  const std::int64_t newcomers = newcomers_of_spam + newcomers_of_ham;
  const std::int64_t counted = std::min<std::int64_t>(newcomers, policy.newcomers_max);
  const auto add = [&](Side& side, std::int64_t of_side, const Side& other) {
    if (newcomers == 0 || (other.has_resident && !side.has_resident)) return;
    side.thousandths += counted * kOnePerson * of_side / newcomers;
  };
  add(out.spam, newcomers_of_spam, out.ham);
  add(out.ham, newcomers_of_ham, out.spam);
  return out;
}

std::int32_t weight_of_spam(const ReportedHash& hash, const Sides& sides,
                            const ReportPolicy& policy) {
  const auto people_left = [&](std::int64_t of_spam, std::int64_t of_ham) {
    return (of_spam + std::int64_t{hash.per_ham} * of_ham) / kOnePerson;
  };
  const std::int64_t left = people_left(sides.spam.thousandths, sides.ham.thousandths);
  const bool may_reject = people_left(sides.spam.of_standing, sides.ham.of_standing) >=
                          std::int64_t{policy.reject_people};
  const bool suffices = sides.spam.trusted > 0 || left >= policy.reporters_min;
  if (!suffices || left <= 0) return 0;
  const std::int64_t weight =
      hash.per_spam * scaled(left, may_reject, policy.steps_of(hash.flag), policy);
  return static_cast<std::int32_t>(std::min(weight, kWeightMost));
}

std::int32_t wanted_weight(const ReportedHash& hash, std::span<const Supporter> people,
                           const ReportPolicy& policy) {
  const Sides sides = sides_of(people, policy);
  if (hash.per_spam != 0) return hash.closed ? 0 : weight_of_spam(hash, sides, policy);
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(weight_of_wanted(hash, sides, policy), 0, kWeightMost));
}

std::optional<ReportKind> majority_of(std::span<const Supporter> reporters,
                                      const ReportPolicy& policy) {
  const auto [spam, ham] = sides_of(reporters, policy);
  const auto more = [](std::uint64_t of_spam, std::uint64_t of_ham) -> std::optional<ReportKind> {
    if (of_spam == of_ham) return std::nullopt;
    return of_spam > of_ham ? ReportKind::kSpam : ReportKind::kHam;
  };
  const auto trusted = more(spam.trusted, ham.trusted);
  return trusted ? trusted
                 : more(static_cast<std::uint64_t>(spam.thousandths),
                        static_cast<std::uint64_t>(ham.thousandths));
}

std::int64_t newcomers_among(std::span<const Supporter> supporters, const ReportPolicy& policy) {
  return std::ranges::count_if(supporters, [&](const Supporter& one) {
    return standing_of(one.reporter, policy) == Standing::kNewcomer;
  });
}

namespace {

/// The certainty of a match of 29 of 32 slots, which may reject by itself (rules/hit_strength.h).
constexpr double kVeryNear = (29.0 / 32 - 0.5) * 2;
/// Half an int is more than any saturation needs.
constexpr std::int32_t kWeightHighest = std::numeric_limits<std::int32_t>::max() / 2;

/// The least weight whose score is at least `score`; nullopt if none is.
std::optional<std::int32_t> least_weight(const FlagOptions& list, double score) {
  std::int32_t enough = kWeightHighest;
  if (rules::list_score(list, enough) < score) return std::nullopt;
  std::int32_t too_little = 0;
  while (enough - too_little > 1) {
    const std::int32_t middle = too_little + (enough - too_little) / 2;
    (rules::list_score(list, middle) >= score ? enough : too_little) = middle;
  }
  return enough;
}

ListSteps steps_of(const FlagOptions& list, const ActionOptions& actions) {
  ListSteps steps;
  steps.header = actions.add_header ? least_weight(list, *actions.add_header).value_or(1) : 1;
  steps.reject = actions.reject ? least_weight(list, *actions.reject) : std::nullopt;
  if (!steps.reject) return steps;
  steps.rejects = least_weight(list, *actions.reject / kVeryNear).value_or(*steps.reject);
  // What else is in the message may add a little to the score.
  const auto too_much = least_weight(list, *actions.reject / rules::kContextMost);
  steps.marks = std::max(too_much.value_or(1) - 1, std::min(steps.header, *steps.reject - 1));
  steps.marks = std::max(steps.marks, 1);
  return steps;
}

}  // namespace

std::map<std::uint32_t, ListSteps> list_steps(const Settings& settings) {
  std::map<std::uint32_t, ListSteps> out;
  for (const RuleOptions& rule : settings.rules) {
    if (rule.remote.is_remote() || rule.read_only) continue;
    const auto flag = rule.flags.number(settings.reports.spam.flag);
    const FlagOptions* list = flag ? rule.flags.find(*flag) : nullptr;
    if (list != nullptr) out.try_emplace(*flag, steps_of(*list, settings.milter.actions));
  }
  return out;
}

}  // namespace shingled::milter::reports
