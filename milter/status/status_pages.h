#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/metrics/metric_registry.h"
#include "milter/status/bucket_pages.h"
#include "milter/status/http_message.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::milter::status {

/// What the daemon tells about itself, page by page:
///
///   /metrics  everything measured, as OpenMetrics text
///   /stat     the same as JSON, with version, state and uptime
///   /healthz  200 while the process answers
///   /readyz   200 while it serves; 503 while it loads its storage and while it ends
///   /hits     the stored hashes that answered most questions since the start: ?most=N, 100
///   /matches  every stored hash like the one asked for, best first (match_question.h)
///   /buckets  the buckets of the rate limits (bucket_pages.h), for this machine only
///
/// The rest is not secret: no key has a way into a report or a match. No I/O, no waiting but for
/// the buckets.
/// Threads: any thread.
class StatusPages {
 public:
  static constexpr std::size_t kHitsMost = 1000;  ///< that one answer of /hits may hold

  enum class State : std::uint8_t { kStarting, kServing, kDraining };

  StatusPages(const MetricRegistry& registry, const Clock& clock, std::size_t matches_max);

  void set_state(State state) { state_ = state; }
  /// Where /matches looks; null = nowhere. Returns when nobody looks at the one before any more.
  void set_store(const storage::FuzzyStore* store) { *store_.lock() = store; }

  /// Who answers about buckets; before anybody asks.
  void set_buckets(const BucketPages* buckets) { buckets_ = buckets; }

  [[nodiscard]] HttpReply answer(const HttpRequest& request) const;

 private:
  [[nodiscard]] HttpReply readiness() const;
  [[nodiscard]] HttpReply stat() const;
  [[nodiscard]] HttpReply matches(const HttpRequest& request) const;
  [[nodiscard]] HttpReply hits(const HttpRequest& request) const;

  const MetricRegistry& registry_;
  const Clock& clock_;
  const std::size_t matches_max_;
  const TimePoint start_;
  std::atomic<State> state_{State::kStarting};
  mutable Guarded<const storage::FuzzyStore*> store_;
  const BucketPages* buckets_ = nullptr;
};

std::string_view to_string(StatusPages::State state);  ///< "starting" "serving" "draining"

}  // namespace shingled::milter::status
