#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/base/result.h"
#include "milter/api/route.h"
#include "milter/reports/report_desk.h"
#include "milter/view/json.h"

namespace shingled::milter::api {

/// A report on its way to the daemon that keeps them.
struct OutgoingReport {
  reports::ReportKind kind = reports::ReportKind::kSpam;
  std::string_view reporter;
  std::string_view body;  ///< the message as it is
  bool is_kept = false;   ///< `body` is instead what the history kept of it (kept_code.h)
};

/// Another daemon that keeps the reports (`reports.home`).
struct ReportHome {
  std::string url;  ///< empty: this one keeps them
  std::function<http::HttpReply(const OutgoingReport&)> send = {};
};

// The parts that all routes which take a report share: `kind` and `reporter`, and the reply.
std::vector<Parameter> report_parameters();
reports::ReportKind report_kind(const Call& call);
http::HttpReply report_reply(const Result<reports::ReportReceipt>& receipt);
/// [{"reporter", "name", "standing", "says"}] of a case.
Json people_json(const reports::KnownCase& one);

/// A case as it is listed, with its people.
Json known_case_json(const reports::KnownCase& one);
/// How long it takes. While a report is handed on, the answer of its home must not wait for it:
/// the home may be this daemon by mistake.
Route::Pace report_pace(const ReportHome& home);

/// What people report (route.h has the arguments).
///
///   POST /api/1/reports             the body is the message as it is -> {"what": "new" | "same" |
///                                   "turned", "hashes", "changed", "counted", "not_taught" if
///                                   something is said, and of the hash about which most is said
///                                   "effect": "noted" | "marked" | "rejected" | "closed",
///                                   "people": {"spam", "ham"}, "marked_at", "rejected_at" (people,
///                                   or null), "text"}
///   POST /api/1/reports/kept        the same for what the history of another daemon kept of a
///                                   message (kept_code.h)
///   GET  /api/1/reports/changes     -> {"site", "changes": [{"what": "label", "message", "label"}
///   |
///                                   {"what": "closed" | "reopened" | "withdrawn", "digest",
///                                   "flag"}], "next", "anew", "more"}
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
/// With a home elsewhere reports are handed on to it: "what" may be "waiting". The lists are those
/// of this daemon, which are empty then, and have "off".
///
/// 403: reports are off. 400: not a mail. 413: a mail that is too long. 503: try again. 421: a
/// daemon asks this one as its home, but it has another home itself.
/// Threads: any thread.
class ReportResource {
 public:
  static constexpr std::size_t kReportersMost = 100'000;  ///< in one answer
  static constexpr std::size_t kCasesMost = 10'000;
  static constexpr std::size_t kDigestsMost = 10'000;  ///< in one request
  static constexpr std::size_t kDigestsShown = 1000;   ///< of one case

  /// `desk` must outlive it.
  explicit ReportResource(reports::ReportDesk& desk, ReportHome home = {})
      : desk_(desk), home_(std::move(home)) {}

  /// They use this object.
  [[nodiscard]] std::vector<Route> routes() const;

 private:
  /// A reply that this daemon is not the home; nullopt if it is.
  [[nodiscard]] std::optional<http::HttpReply> why_not_home() const;
  [[nodiscard]] http::HttpReply take(const Call& call) const;
  [[nodiscard]] http::HttpReply take_kept(const Call& call) const;
  [[nodiscard]] http::HttpReply changes(const Call& call) const;
  [[nodiscard]] http::HttpReply with_home(http::HttpReply reply) const;

  reports::ReportDesk& desk_;
  ReportHome home_;
};

}  // namespace shingled::milter::api
