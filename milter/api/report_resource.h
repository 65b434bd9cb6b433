#pragma once

#include <cstddef>
#include <vector>

#include "config/base/result.h"
#include "milter/api/route.h"
#include "milter/reports/report_desk.h"
#include "milter/view/json.h"

namespace shingled::milter::api {

// The parts that all routes which take a report share: `kind` and `reporter`, and the reply.
std::vector<Parameter> report_parameters();
reports::ReportKind report_kind(const Call& call);
http::HttpReply report_reply(const Result<reports::ReportReceipt>& receipt);
/// [{"reporter", "name", "standing", "says"}] of a case.
Json people_json(const reports::KnownCase& one);

/// A case as it is listed, with its people.
Json known_case_json(const reports::KnownCase& one);

/// What people report (route.h has the arguments).
///
///   POST /api/1/reports             the body is the message as it is -> {"what": "new" | "same" |
///                                   "turned", "hashes", "changed", "counted", "not_taught" if
///                                   something is said, and of the hash about which most is said
///                                   "effect": "noted" | "marked" | "rejected" | "closed",
///                                   "people": {"spam", "ham"}, "marked_at", "rejected_at" (people,
///                                   or null), "text"}
///   POST /api/1/reports/withdraw    -> {"people"} whose reports were withdrawn
///   GET  /api/1/reporters           -> {"reporters": [{"reporter", "name", "standing", "reports",
///                                   "agreed", "disagreed", "reputation", "first", "last"}]}
///   GET  /api/1/cases               -> {"cases": [{"id", "effect", "lists", "spam", "ham",
///                                   "newcomers", "messages", "hashes", "last", "people" if names
///                                   are asked for}]}
///   GET  /api/1/cases/{id}, POST /api/1/cases/{id}/close, /reopen   -> one of them with "people":
///                                   [{"reporter", "name", "standing", "says"}] and "digests":
///                                   [{"digest", "flag", "weight", "closed"}]
///
/// 403: reports are off. 400: not a mail. 413: a mail that is too long. 503: try again.
/// Threads: any thread.
class ReportResource {
 public:
  static constexpr std::size_t kReportersMost = 100'000;  ///< in one answer
  static constexpr std::size_t kCasesMost = 10'000;
  static constexpr std::size_t kDigestsMost = 10'000;  ///< in one request
  static constexpr std::size_t kDigestsShown = 1000;   ///< of one case

  /// `desk` must outlive it.
  explicit ReportResource(reports::ReportDesk& desk) : desk_(desk) {}

  /// They use this object.
  [[nodiscard]] std::vector<Route> routes() const;

 private:
  reports::ReportDesk& desk_;
};

}  // namespace shingled::milter::api
