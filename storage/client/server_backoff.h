#pragma once

#include <cstdint>

#include "config/base/backoff.h"
#include "config/base/clock.h"

namespace shingled::storage::client {

/// When a server is left alone, and when it is tried again.
struct RestPolicy {
  std::uint32_t errors_max = 4;       ///< failures in a row before the first rest
  Duration rest{};                    ///< the first one; each further one is twice as long, up to
  static constexpr int kLongest = 8;  ///< times that
};

/// Whether one endpoint is well: a value, no clock, no lock.
///
/// After `errors_max` failures in a row it rests. Half-way through a rest it is worth a probe, so
/// that messages meet it again only when it is well; where nobody probes, they try it after the
/// rest. One failure then sends it to rest again, twice as long.
class ServerBackoff {
 public:
  [[nodiscard]] bool is_well(TimePoint now) const { return now >= rests_until_; }
  /// It has failed and nothing has been heard of it since.
  [[nodiscard]] bool is_resting() const { return rests_ > 0; }
  [[nodiscard]] bool wants_probe(TimePoint now) const { return is_resting() && now >= probe_at_; }
  void answered() { *this = ServerBackoff(); }
  void failed(const RestPolicy& policy, TimePoint now) {
    if (!is_well(now)) return;  // asked because all others rest too
    if (is_resting() || ++errors_ >= policy.errors_max) rest(policy, now);
  }
  void probe_failed(const RestPolicy& policy, TimePoint now) { rest(policy, now); }

 private:
  void rest(const RestPolicy& policy, TimePoint now) {
    const Backoff backoff{policy.rest, policy.rest * RestPolicy::kLongest};
    const Duration length = backoff.wait(rests_++);
    errors_ = 0;
    rests_until_ = now + length;
    probe_at_ = now + length / 2;
  }

  std::uint32_t errors_ = 0;  // in a row
  std::uint32_t rests_ = 0;   // in a row
  TimePoint rests_until_{};
  TimePoint probe_at_{};
};

}  // namespace shingled::storage::client
