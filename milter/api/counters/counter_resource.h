#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/metrics/counter_table.h"
#include "config/metrics/instruments.h"
#include "config/metrics/metric_report.h"
#include "milter/api/route.h"
#include "mime/fingerprint/piece_shingle.h"
#include "storage/counters/counter_store.h"
#include "storage/people/people_store.h"

namespace shingled::milter::api {

/// The counters of a site, and the key of their shingles.
struct SiteCounters {
  std::shared_ptr<storage::counters::CounterStore> store;  ///< null = there are none
  CounterKeyBytes key{};
  std::string why_off{};  ///< why there are none, if they should be there
  std::shared_ptr<storage::people::PeopleStore> people{};  ///< null = what they said is not known
  storage::people::Weights weights{};
  /// The person to whom mail for an address goes, as reports name them; null = it is not known.
  std::function<std::uint64_t(std::string_view address)> person{};
};

/// Requests for the pages since the start, by their status.
struct CounterRequests {
  EventCount answered;
  EventCount refused;
  EventCount failed;

  static constexpr auto table() {
    using Counters = CounterRequests;
    return std::to_array<CounterLine<Counters, EventCount>>({
        {&Counters::answered, {"shingled_counters_requests", "Requests that were answered."}},
        {&Counters::refused,
         {"shingled_counters_requests_refused", "Requests that were wrong or not allowed."}},
        {&Counters::failed,
         {"shingled_counters_requests_failed", "Requests that the store could not answer."}},
    });
  }
};
static_assert(kHasWholeTable<CounterRequests>);

/// The counters of pieces of mail. A request is JSON (counter_request.h), and so is a reply; the
/// `detail` of an error names the element that is wrong.
///
///   POST /api/1/counters/ask     space, pieces, windows   -> {"windows", "counters": [{"type",
///   "shingle",
///                                                      "known", "sums": one for each window; null:
///                                                      unknown}]}
///   POST /api/1/counters/add     space, pieces, add       -> {"added": counters}
///   POST /api/1/counters/take    ask, then add            -> as ask
///   POST /api/1/counters/series  space, pieces            -> {"now", "counters": [{"type",
///   "shingle",
///                                                      "entries": [{"unit", "number", ...}]}]}
///   POST /api/1/counters/people  space, pieces, windows, recipients
///                                                   -> {"windows", "recipients", "counters":
///                                                      [{"type", "shingle", "said",
///                                                      "said_of_proved": one for each window}]}:
///                                                      what people said of mail whose From was not
///                                                      proved, and was. "own_complaint" and
///                                                      "own_rescue" are of the recipients;
///                                                      "recipients": how many people these are
///   POST /api/1/counters/top     space, type, measure, window, rising, most
///                                                   -> {"counters": [{"space", "type", "shingle",
///                                                      "piece", "count", "before" if rising}]}
///   POST /api/1/counters/forget  space, pieces            -> {"forgotten": counters}; without a
///   space
///                                                      those of both
///   POST /api/1/counters/learn   additions                -> {"learnt": additions}
///   GET  /api/1/counters/export                           -> lines (counter_lines.h)
///   POST /api/1/counters/import  lines                    -> {"imported": counters}
///   POST /api/1/counters/verify  repair                   -> {"ok": true}, or {"ok": false,
///   "error"};
///                                                      "lost_files", "unknown_until" if any
///
/// 503: there are no counters, or they cannot be reached. `entries` are those of the store: that of
/// a day does not have its ten minutes.
/// Threads: any thread. Waits for the store, at most kPatience.
class CounterResource {
 public:
  using Counters = std::function<SiteCounters()>;
  /// The text of a piece, if it is known.
  using Names = std::function<std::optional<std::string>(PieceType, std::uint64_t shingle)>;
  static constexpr std::chrono::seconds kPatience{3};
  static constexpr std::chrono::seconds kLongPatience{60};  ///< of learn, import and forget

  CounterResource(Counters counters, const Clock& clock, Names names = {})
      : counters_(std::move(counters)), names_(std::move(names)), clock_(clock) {}

  /// They use this object.
  [[nodiscard]] std::vector<Route> routes() const;
  void report(MetricReport& report) const { report_counters(*requests_, report); }

 private:
  Counters counters_;
  Names names_;
  const Clock& clock_;
  std::unique_ptr<CounterRequests> requests_ = std::make_unique<CounterRequests>();
};

}  // namespace shingled::milter::api
