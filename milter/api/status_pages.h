#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/metrics/metric_report.h"
#include "milter/api/bucket_pages.h"
#include "milter/api/counter_pages.h"
#include "milter/api/report_pages.h"
#include "milter/http/http_message.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::milter::api {

/// The pages with which the daemon reports its state:
///
///   /metrics  all metrics, as OpenMetrics text
///   /stat     the same as JSON, with version, state and uptime
///   /healthz  200 while the process answers
///   /readyz   200 while it serves; 503 while it loads its storage and while it ends
///   /hits     the stored hashes with the most hits since the start; ?most=N, default 100
///   /matches  all stored hashes that match a given one, the best first (match_question.h)
///   /buckets  the buckets of the rate limits (bucket_pages.h), only for this machine
///   /counters the counters of pieces of mail (counter_pages.h), only for this machine
///   /report, /reporters, /withdraw, /cases, /case
///             reports of people (report_pages.h), only for this machine
///
/// The other pages are not secret: keys cannot get into a report or a match. Only the pages of
/// buckets, counters and reports do I/O and wait.
/// Threads: any thread.
class StatusPages {
 public:
  static constexpr std::size_t kHitsMost = 1000;  ///< hashes in one answer of /hits

  enum class State : std::uint8_t { kStarting, kServing, kDraining };

  StatusPages(const MetricRegistry& registry, const Clock& clock, std::size_t matches_max);

  void set_state(State state) { state_ = state; }
  /// Sets the store for /matches and /hits; null = none, then they answer 503. Returns when the
  /// previous store is not used any more.
  void set_store(const storage::FuzzyStore* store) { *store_.lock() = store; }

  /// Sets the pages of buckets. Call it before the first request.
  void set_buckets(const BucketPages* buckets) { buckets_ = buckets; }
  /// Sets the pages of counters. Call it before the first request.
  void set_counters(const CounterPages* counters) { counters_ = counters; }

  /// Sets the pages of reports. Call it before the first request.
  void set_reports(const ReportPages* reports) { reports_ = reports; }

  [[nodiscard]] http::HttpReply answer(const http::HttpRequest& request) const;

 private:
  [[nodiscard]] http::HttpReply readiness() const;
  [[nodiscard]] http::HttpReply stat() const;
  [[nodiscard]] http::HttpReply matches(const http::HttpRequest& request) const;
  [[nodiscard]] http::HttpReply hits(const http::HttpRequest& request) const;

  const MetricRegistry& registry_;
  const Clock& clock_;
  const std::size_t matches_max_;
  const TimePoint start_;
  std::atomic<State> state_{State::kStarting};
  mutable Guarded<const storage::FuzzyStore*> store_;
  const BucketPages* buckets_ = nullptr;
  const CounterPages* counters_ = nullptr;
  const ReportPages* reports_ = nullptr;
};

std::string_view to_string(StatusPages::State state);  ///< "starting" "serving" "draining"

}  // namespace shingled::milter::api
