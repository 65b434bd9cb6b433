#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/base/at_most_every.h"
#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/result.h"
#include "config/metrics/metric_report.h"
#include "config/options/storage_options.h"
#include "config/system/socket_address.h"
#include "storage/access/limit_table.h"
#include "storage/access/network_set.h"

namespace shingled::storage::access {

/// Counts the requests that the rate limits refuse, and logs them: the first at once, then one line
/// per minute while requests are refused.
/// Threads: any thread, never waits for another one.
/// Cost: two counters. Only a log line allocates memory.
class LimitReport {
 public:
  static constexpr Duration kInterval = std::chrono::minutes(1);

  explicit LimitReport(Logger& logger) : logger_(logger) {}

  /// Notes a request from `network` over the limit. `banned`: a ban of the network has begun.
  void record(const Network& network, bool banned, bool log_only, TimePoint now);
  [[nodiscard]] std::uint64_t refused() const { return refused_.load(); }  ///< since the start
  [[nodiscard]] std::uint64_t bans() const { return bans_.load(); }

 private:
  Logger& logger_;
  std::atomic<std::uint64_t> refused_{0};
  std::atomic<std::uint64_t> bans_{0};
  AtMostEvery line_{kInterval};
};

/// The key for the names of sources. It is secret; otherwise a stranger could choose addresses that
/// share a place in the table.
using SourceKey = std::array<std::uint64_t, 3>;

/// The state that is kept when the limits change: their tables and their log. Each server has one.
struct LimitState {
  /// The daemon sets random values; these are for tests.
  SourceKey key{0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb};
  std::shared_ptr<LimitTable> table;       ///< null while there is no limit
  std::shared_ptr<LimitTable> sealed;      ///< null while there is no limit for sealed requests
  std::shared_ptr<LimitTable> agreements;  ///< of key agreements; these always have a limit
  std::uint32_t buckets = 0;               ///< the size that the tables were made for
  std::uint32_t network_mask = 0;          ///< of the sources in the tables
  std::shared_ptr<LimitReport> report;     ///< may be null
};

/// The rate limits of the fuzzy port by source network (PROTOCOL.md 5.10). They decide about each
/// packet or connection before anything else is done with it.
///
/// A source is an IPv4 network of `network_mask` bits, or an IPv6 network of 64 bits. Never
/// limited: loopback, link-local addresses, `whitelist`, trusted networks. The source of a UDP
/// packet may be forged, so a stranger can get the network of a victim banned. Any limit of this
/// kind has that weakness.
///
/// Sealed requests have two more limits for each source: of key agreements, and of requests with a
/// key that is known already. The second one limits the replies that forged requests send to a
/// victim; it is far above the needs of one client.
///
/// Threads: any thread, see LimitTable.
/// Cost: a look-up in the whitelist, some multiplications, LimitTable::add.
class SourceLimits {
 public:
  SourceLimits() = default;  ///< without limits
  /// Uses the tables of `state` if they fit the options, else replaces them by new ones.
  /// `trusted`: more networks that are never limited.
  SourceLimits(const RateLimitOptions& options, LimitState& state,
               const std::vector<Network>& trusted = {}, const RateOptions& agreements = {});

  /// Whether requests that are sealed with one of our keys count, like plain ones.
  [[nodiscard]] bool counts_sealed() const { return counts_sealed_; }
  /// The decision about a request.
  struct Admission {
    bool in = true;        ///< the request is accepted
    bool counted = false;  ///< in the bucket of its network; false if it is exempt or only logged
    explicit operator bool() const { return in; }
  };
  [[nodiscard]] Admission admit(const IpAddress& ip, TimePoint now) const;
  /// Undoes the counting of a request that, as it turned out, does not count.
  void take_back(const IpAddress& ip, TimePoint now) const;
  /// Counts a request that is sealed with a known key and is not a repeat. Returns whether it is
  /// accepted.
  [[nodiscard]] bool admit_sealed(const IpAddress& ip, TimePoint now) const;
  /// How a request came. Datagrams and connections have separate limits, so forged datagrams cannot
  /// use up the limit of a source's connections.
  enum class Way : std::uint8_t { kDatagram, kStream };
  /// Counts a key agreement with this source. Returns whether it is accepted.
  [[nodiscard]] bool admit_agreement(const IpAddress& ip, Way way, TimePoint now) const;
  /// Whether this address is never limited.
  [[nodiscard]] bool is_exempt(const IpAddress& ip) const;
  /// The name of the network of this address; 0 if the address is exempt.
  [[nodiscard]] std::uint64_t source_of(const IpAddress& ip) const {
    return is_exempt(ip) ? 0 : name_of(network_of(ip));
  }
  /// Reports bans and evictions from the table: `shingled_server_ratelimit_...`.
  void report(MetricReport& report) const;

 private:
  /// Notes a refused request. Returns whether it is accepted nevertheless (`log_only`).
  [[nodiscard]] bool serves_refused(const Network& network, LimitTable::Decision verdict,
                                    TimePoint now) const;
  [[nodiscard]] Network network_of(const IpAddress& ip) const;
  [[nodiscard]] std::uint64_t name_of(const Network& network) const;

  std::shared_ptr<LimitTable> table_;   // null = no limit
  std::shared_ptr<LimitTable> sealed_;  // null = no limit
  std::shared_ptr<LimitTable> agreements_;
  std::shared_ptr<LimitReport> report_;
  SourceKey key_{};
  LimitLaw law_;
  LimitLaw sealed_law_;
  LimitLaw agreement_law_;
  NetworkSet whitelist_;
  int bits_v4_ = 0;
  /// What one customer has. rspamd takes four times the IPv4 bits, of which a customer has 2^32.
  static constexpr int kBitsV6 = 64;
  bool log_only_ = false;
  bool counts_sealed_ = false;
};

/// The buckets of the rate limits, as they are saved for a restart.
struct SavedLimits {
  SourceKey key{};  ///< the names of the sources depend on it
  std::uint32_t network_mask = 0;
  WallTime saved{};
  std::vector<LimitTable::Entry> entries;

  friend bool operator==(const SavedLimits&, const SavedLimits&) = default;
};

/// Writes the buckets to a file that only its owner can read. On an error the old file stays.
/// Errors: kDenied, kUnavailable, kNotFound, with the name of the file.
Status save_limits(const std::string& path, const SavedLimits& limits);

/// Reads the buckets. Subtracts the time since they were saved from each entry, and leaves out the
/// entries whose bucket is empty by now. Subtracts nothing if the clock was set back.
/// Errors: kNotFound (the file does not exist), kCorrupt (another kind of file, or damaged),
/// kDenied, kUnavailable.
Result<SavedLimits> load_limits(const std::string& path, WallTime now);

}  // namespace shingled::storage::access
