#pragma once

#include <cstddef>
#include <string>

#include "milter/http/http_message.h"
#include "milter/reports/report_desk.h"

namespace shingled::milter::api {

/// The pages about reports. A reply is JSON; an error is {"error": TEXT}.
///
///   POST /report?kind=spam|ham&reporter=NAME   the body is the message as it is ->
///                                              {"what": "new"|"same"|"turned", "hashes",
///                                              "changed",
///                                               "counted", "not_taught" if something is said,
///                                              and of the hash about which most is said "effect":
///                                              "noted"|"marked"|"rejected"|"closed", "people":
///                                              {"spam", "ham"}, "marked_at", "rejected_at"
///                                              (people, or null), "text"}
///   GET  /reporters?most=N                     -> {"reporters": [{"reporter", "name", "standing",
///                                              "reports", "agreed", "disagreed", "reputation",
///                                              "first", "last"}]}; default 100
///   POST /withdraw?flag=N                      the body is digests, one per line -> {"people"}
///   whose
///                                              reports were withdrawn; without flag on all lists
///   GET  /cases?since=UNIX&most=N&names=yes    -> {"cases": [...]}; default 100
///   GET  /case?id=DIGITS&names=yes             -> {"id", "effect", "lists", "spam", "ham",
///                                              "newcomers", "messages", "hashes", "last",
///                                              "people": [{"reporter", "name", "standing",
///                                              "says"}], "digests": [{"digest", "flag", "weight",
///                                              "closed"}]}
///   POST /case?id=DIGITS&do=close|reopen       -> the same. In /cases without "digests", and
///                                              without "people" unless names are asked for
///
/// Only direct and authorised requests (http_message.h) are answered; others are 403, as when
/// reports are off. 400: not a mail, or a wrong argument. 503: try again. A reply with 200 comes
/// when the report is on the disk.
/// Threads: any thread; everything is done later (HttpReply::later), one after the other.
class ReportPages {
 public:
  static constexpr std::size_t kReportersMost = 100'000;  ///< in one answer
  static constexpr std::size_t kCasesMost = 10'000;
  static constexpr std::size_t kDigestsMost = 10'000;  ///< in one request
  static constexpr std::size_t kDigestsShown = 1000;   ///< of one case

  /// `desk` must outlive it.
  explicit ReportPages(reports::ReportDesk& desk) : desk_(desk) {}

  /// Whether `path` is one of these pages.
  static bool is_page(const std::string& path);
  [[nodiscard]] http::HttpReply answer(const http::HttpRequest& request) const;

 private:
  reports::ReportDesk& desk_;
};

}  // namespace shingled::milter::api
