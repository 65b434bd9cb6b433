#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "config/base/at_most_every.h"
#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/metrics/metric_report.h"
#include "config/options/storage_options.h"
#include "config/system/socket_address.h"
#include "storage/access/limit_table.h"
#include "storage/access/network_set.h"

namespace shingled::storage::access {

/// Counts what the rate limits refuse and tells the log: the first time at once, then once a minute
/// while it goes on.
/// Threads: any thread, never waiting for another.
/// Cost: two counters; the line of the minute takes memory.
class LimitReport {
 public:
  static constexpr Duration kInterval = std::chrono::minutes(1);

  explicit LimitReport(Logger& logger) : logger_(logger) {}

  /// A request from there was over the limit; `banned`: from now on all are.
  void note(const Network& network, bool banned, bool log_only, TimePoint now);
  [[nodiscard]] std::uint64_t refused() const { return refused_.load(); }  ///< since the start
  [[nodiscard]] std::uint64_t bans() const { return bans_.load(); }

 private:
  Logger& logger_;
  std::atomic<std::uint64_t> refused_{0};
  std::atomic<std::uint64_t> bans_{0};
  AtMostEvery line_{kInterval};
};

/// What the names of sources depend on; secret, or a stranger could choose addresses that share a
/// place in the table.
using SourceKey = std::array<std::uint64_t, 3>;

/// What outlives a change of the limits: their table, and who tells of it. Made once a server.
struct LimitState {
  /// From a random source; this one is for tests.
  SourceKey key{0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb};
  std::shared_ptr<LimitTable> table;       ///< none while there are no limits
  std::shared_ptr<LimitTable> sealed;      ///< none while there is no limit for them
  std::shared_ptr<LimitTable> agreements;  ///< there is always a limit
  std::uint32_t buckets = 0;               ///< that the tables were made for
  std::uint32_t network_mask = 0;          ///< of the sources in the tables
  std::shared_ptr<LimitReport> report;     ///< may be none
};

/// The rate limit of the fuzzy port by source network (PROTOCOL.md 5.10): one answer for each
/// packet or connection, before anything else is done with it.
///
/// A source is an IPv4 network of `network_mask` bits or an IPv6 one of four times as many, 64 at
/// least. Never limited: loopback, link-local addresses, `whitelist`, trusted networks. The address
/// of a UDP packet may be forged: whoever shares the network of a victim can have it banned, as
/// with any such limit.
///
/// What is sealed has limits of its own: how often a key may be agreed on with a source, and how
/// often it may ask with a key that is known already. The latter is for what a forged source makes
/// us send to a victim, and far above what one client asks.
///
/// Threads: any thread, see LimitTable.
/// Cost: a walk over the whitelist's prefix lengths, some multiplications, LimitTable::add.
class SourceLimits {
 public:
  SourceLimits() = default;  ///< nobody is limited
  /// Takes the tables of `state` if they fit, else puts new ones there.
  /// `trusted`: never limited either.
  SourceLimits(const RateLimitOptions& options, LimitState& state,
               const std::vector<Network>& trusted = {}, const RateOptions& agreements = {});

  /// Whether what is sealed with one of our keys counts like the rest.
  [[nodiscard]] bool counts_sealed() const { return counts_sealed_; }
  /// True: the request may be looked at.
  struct Admission {
    bool in = true;
    bool counted = false;  ///< in the bucket of its network; not so what is exempt or only logged
    explicit operator bool() const { return in; }
  };
  [[nodiscard]] Admission admit(const IpAddress& ip, TimePoint now) const;
  /// A request that was counted turned out to be one that does not count.
  void take_back(const IpAddress& ip, TimePoint now) const;
  /// A request that is sealed with a key we know, and no repeat.
  [[nodiscard]] bool admit_sealed(const IpAddress& ip, TimePoint now) const;
  /// How a request came: nobody can use up what a source may do on its connections by forged
  /// datagrams.
  enum class Way : std::uint8_t { kDatagram, kStream };
  /// Whether a key may be agreed on with this source.
  [[nodiscard]] bool admit_agreement(const IpAddress& ip, Way way, TimePoint now) const;
  /// Never limited.
  [[nodiscard]] bool is_exempt(const IpAddress& ip) const;
  /// The name of its network; 0 for who is exempt.
  [[nodiscard]] std::uint64_t source_of(const IpAddress& ip) const {
    return is_exempt(ip) ? 0 : name_of(network_of(ip));
  }
  /// Bans, and sources that had to be forgotten: `shingled_server_ratelimit_...`.
  void report(MetricReport& report) const;

 private:
  /// Tells of one that was refused; whether it is served all the same.
  [[nodiscard]] bool serves_refused(const Network& network, LimitTable::Decision verdict,
                                    TimePoint now) const;
  [[nodiscard]] Network network_of(const IpAddress& ip) const;
  [[nodiscard]] std::uint64_t name_of(const Network& network) const;

  std::shared_ptr<LimitTable> table_;   // none = nobody is limited
  std::shared_ptr<LimitTable> sealed_;  // likewise
  std::shared_ptr<LimitTable> agreements_;
  std::shared_ptr<LimitReport> report_;
  SourceKey key_{};
  LimitLaw law_;
  LimitLaw sealed_law_;
  LimitLaw agreement_law_;
  NetworkSet whitelist_;
  int bits_v4_ = 0;
  int bits_v6_ = 0;
  bool log_only_ = false;
  bool counts_sealed_ = false;
};

}  // namespace shingled::storage::access
