#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "config/options/report_options.h"
#include "config/options/settings.h"
#include "storage/people/people_store.h"
#include "storage/sqlite/reports/report_table.h"

namespace shingled::milter::reports {

/// Which weights of a list do what. The defaults are those of the list `denied` with the default
/// actions.
struct ListSteps {
  std::int32_t header = 2;                 ///< the least with which the same message gets a header
  std::optional<std::int32_t> reject = 5;  ///< and is rejected; none = never
  /// What is taught for a header: the most that never rejects, so that what is only similar gets a
  /// header, too.
  std::int32_t marks = 3;
  std::int32_t rejects = 6;  ///< for a reject: also of a message that is very near
  friend bool operator==(const ListSteps&, const ListSteps&) = default;
};

/// As how many people reporters count where people are counted.
storage::people::Weights weights_of(const ReportOptions& options);

/// Who decides what a report weighs.
struct ReportPolicy {
  std::uint32_t reporters_min = 2;
  std::uint32_t reject_people = 5;
  std::uint32_t trusted_weight = 1;          ///< as how many people a trusted one counts
  std::uint32_t newcomers_max = 3;           ///< as how many people all newcomers of a case count
  bool all_reside = false;                   ///< nobody is a newcomer
  std::set<std::uint64_t> trusted;           ///< by name
  std::map<std::uint32_t, ListSteps> steps;  ///< by list; one that is not there has the default

  [[nodiscard]] ListSteps steps_of(std::uint32_t flag) const {
    const auto found = steps.find(flag);
    return found == steps.end() ? ListSteps{} : found->second;
  }
};

/// Trusted people are configured. A resident is a mailbox that gets wanted mail here; a name that
/// somebody made up gets none. Everybody else is a newcomer. The agreement of others makes nobody
/// a resident or trusted, as one person may have made up all the names.
using storage::sqlite::Standing;

Standing standing_of(const storage::sqlite::ReporterRow& reporter, const ReportPolicy& policy);

/// How far others agree: (agreed + 1) / (agreed + disagreed + 2), between 0 and 1. A new reporter
/// has 0.5. People look at it; it decides nothing.
double reputation(const storage::sqlite::ReporterRow& reporter);

/// One side of a case.
struct Side {
  std::uint64_t people = 0;      ///< all of them
  std::int64_t thousandths = 0;  ///< as how many people they count
  std::int64_t of_standing = 0;  ///< those of them who are residents or trusted count as
  std::uint64_t trusted = 0;     ///< how many of them are
  bool has_resident = false;     ///< or somebody trusted
};

struct Sides {
  Side spam;
  Side ham;
};

/// The two sides of a case. A pure function. The law:
///
/// 1. A resident counts as one person, a trusted one as `trusted_weight`.
/// 2. All newcomers of a case, of both sides together, count as at most `newcomers_max` people. If
///    there are more, each counts as the same fraction. So somebody who makes up names can fill a
///    side only as far as they outnumber the other newcomers, and never beyond `newcomers_max`.
/// 3. Newcomers alone count nothing against a side with a resident or somebody trusted.
/// 4. Newcomers may complete a mark, but not a rejection (`Side::of_standing`).
Sides sides_of(std::span<const storage::sqlite::Supporter> people, const ReportPolicy& policy);

/// The weight that reports give a hash on its list. A pure function.
///
/// A closed case has none. Else n is the whole number of people who say spam, less `-per_ham`
/// times those who want it. Below `reporters_min` it weighs nothing, or n if somebody trusted is
/// among them. Then it is `steps.marks`; from `reject_people` people of standing on it is
/// `steps.rejects` and one more for each more. Where nothing rejects, it is `steps.header` and one
/// more for each more. More people than four times `reject_people` add nothing: else each
/// report of a large case would change all its hashes. All that times `per_spam`.
///
/// On a list that only wanted mail puts something on (per_spam 0), it is `per_ham` for each person
/// who wants it, less those who do not, if they are `reporters_min` and not newcomers alone.
std::int32_t wanted_weight(const storage::sqlite::ReportedHash& hash,
                           std::span<const storage::sqlite::Supporter> people,
                           const ReportPolicy& policy);

/// The same of two sides, on a list of spam that is not closed.
std::int32_t weight_of_spam(const storage::sqlite::ReportedHash& hash, const Sides& sides,
                            const ReportPolicy& policy);

/// What a message is by those who reported it: what more of the trusted ones say, and if these
/// are silent or divided, the side that counts as more people. nullopt at a tie. A pure function.
std::optional<storage::sqlite::ReportKind> majority_of(
    std::span<const storage::sqlite::Supporter> reporters, const ReportPolicy& policy);

/// How many of the supporters are newcomers.
std::int64_t newcomers_among(std::span<const storage::sqlite::Supporter> supporters,
                             const ReportPolicy& policy);

/// Which weights of the lists that reports teach do what, by `milter.actions` and the `weight` and
/// `hits_limit` of the list; by number. A score that is null or that the list never reaches is
/// never reached: then each person only makes the list heavier. Of several rules with one number
/// the first one decides. Pure.
/// Cost: some sixty scores a list.
std::map<std::uint32_t, ListSteps> list_steps(const Settings& settings);

}  // namespace shingled::milter::reports
