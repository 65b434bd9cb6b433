#pragma once

#include <cstddef>

#include "milter/reports/report_desk.h"
#include "milter/status/http_message.h"

namespace shingled::milter::status {

/// The pages about reports. A reply is JSON; an error is {"error": TEXT}.
///
///   POST /report?kind=spam|ham&reporter=NAME   the body is the message as it is ->
///                                              {"what": "new"|"same"|"turned", "hashes",
///                                              "changed",
///                                               "counted", "not_taught" if something is said}
///   GET  /reporters?most=N                     -> {"reporters": [{"reporter", "name", "standing",
///                                              "reports", "agreed", "disagreed", "reputation",
///                                              "first", "last"}]}; default 100
///
/// Only direct and authorised requests (http_message.h) are answered; others are 403, as when
/// reports are off. 400: not a mail, or a wrong argument. 503: try again. A reply with 200 comes
/// when the report is on the disk.
/// Threads: any thread; everything is done later (HttpReply::later), one after the other.
class ReportPages {
 public:
  static constexpr std::size_t kReportersMost = 100'000;  ///< in one answer

  /// `desk` must outlive it.
  explicit ReportPages(reports::ReportDesk& desk) : desk_(desk) {}

  /// Whether `path` is one of these pages.
  static bool is_page(const std::string& path) { return path == "/report" || path == "/reporters"; }
  [[nodiscard]] HttpReply answer(const HttpRequest& request) const;

 private:
  reports::ReportDesk& desk_;
};

}  // namespace shingled::milter::status
