#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/metrics/metric_report.h"
#include "milter/api/route.h"
#include "milter/api/system/system_facts.h"
#include "mime/fingerprint/fingerprint.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::milter::api {

/// The daemon itself and its stored hashes:
///
///   GET /metrics                 all metrics, as text: OpenMetrics for a client that names it
///   GET /healthz                 200 while the process answers
///   GET /readyz                  200 while it serves; 503 while it loads its storage, ends, or the
///                                store refuses updates (a full disk)
///   GET /stat                    version, state, uptime, all metrics as JSON
///   GET /api/1/system            the same, and for who may read facts in groups (system_facts.h)
///   GET /api/1/hashes/top        the stored hashes with the most hits since the start
///   GET /api/1/hashes/matches    all stored hashes that match a given one (match_question.h)
///
/// Keys cannot get into a report or a match.
/// Threads: any thread. Does no I/O, but for the facts.
class SystemResource {
 public:
  static constexpr std::size_t kHitsMost = 1000;  ///< hashes in one answer of /hits

  enum class State : std::uint8_t { kStarting, kServing, kDraining };

  SystemResource(const MetricRegistry& registry, const Clock& clock, std::size_t matches_max);

  void set_state(State state) { state_ = state; }
  [[nodiscard]] State state() const { return state_; }
  /// Collects the facts and gives them to `show`; called on threads for work. Call it before the
  /// first request.
  using ShowFacts = std::function<void(const SystemFacts&)>;
  using Facts =
      std::function<void(double uptime, const MetricReport& metrics, const ShowFacts& show)>;
  void set_facts(Facts facts) { facts_ = std::move(facts); }
  /// Whether the store takes updates; true without one.
  [[nodiscard]] bool takes_updates() const;
  /// Sets the store that is asked for hashes; null = none, then they answer 503. Returns when the
  /// previous store is not used any more.
  void set_store(const storage::FuzzyStore* store) { *store_.lock() = store; }

  /// The stored hashes that match one, the best first; empty without a store.
  [[nodiscard]] std::vector<storage::Match> matches_of(const Fingerprint& fingerprint,
                                                       std::size_t most) const;

  /// They use this object.
  [[nodiscard]] std::vector<Route> routes() const;

 private:
  [[nodiscard]] http::HttpReply readiness() const;
  [[nodiscard]] http::HttpReply stat() const;
  [[nodiscard]] http::HttpReply system(const Call& call) const;
  [[nodiscard]] Json stat_json(const MetricReport& metrics) const;
  [[nodiscard]] http::HttpReply matches(const Call& call) const;
  [[nodiscard]] http::HttpReply hits(const Call& call) const;

  const MetricRegistry& registry_;
  const Clock& clock_;
  const std::size_t matches_max_;
  const TimePoint start_;
  Facts facts_;
  std::atomic<State> state_{State::kStarting};
  mutable Guarded<const storage::FuzzyStore*> store_;
};

std::string_view to_string(SystemResource::State state);  ///< "starting" "serving" "draining"

}  // namespace shingled::milter::api
