#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "config/options/storage_options.h"
#include "storage/model/fuzzy_store.h"
#include "storage/server/server_counters.h"

namespace shingled {
class MetricReport;  // config/metrics/metric_report.h
}

namespace shingled::storage::server {

/// The fuzzy service on UDP and TCP: sockets and threads around the request handler.
///
/// Threads: `start` makes options.threads workers for datagrams (0 = one a processor) and, unless
/// options.tcp_connections_max is 0, as many for connections, each with its own SO_REUSEPORT socket
/// per listening address; the destructor stops and joins them, sends the replies of updates that
/// were committed, and logs the counters.
class FuzzyServer {
 public:
  /// `limits_file`: where `save_limits` left the buckets of the rate limits; the workers begin with
  /// them, if it is there. Empty = there is none.
  /// Errors: kDenied or kUnavailable, naming the address (port in use, no permission), kNotFound
  /// (no such host).
  static Result<std::unique_ptr<FuzzyServer>> start(const ServerOptions& options, FuzzyStore& store,
                                                    Clock& clock, Random& random, Logger& logger,
                                                    const std::string& limits_file = {});
  ~FuzzyServer();
  FuzzyServer(const FuzzyServer&) = delete;
  FuzzyServer& operator=(const FuzzyServer&) = delete;
  FuzzyServer(FuzzyServer&&) = delete;
  FuzzyServer& operator=(FuzzyServer&&) = delete;

  /// Takes over access lists, limits and keys at once, between two packets; sockets and threads
  /// stay as they are. What cannot work goes to the log and changes nothing.
  void reload(const ServerOptions& options);
  /// Takes over what changed in the files of access lists and keys. Meant for every second or so;
  /// from the thread that calls `reload`.
  void refresh();
  /// Saves the buckets of the rate limits, if there are limits.
  void save_limits(const std::string& path) const;
  /// The bound addresses, with the port the kernel chose where 0 was asked for.
  [[nodiscard]] const std::vector<SocketAddress>& addresses() const;
  [[nodiscard]] ServerCounters counters() const;
  /// TCP connections that are open.
  [[nodiscard]] std::size_t connections() const;
  /// Replies held for clients that do not fetch them.
  [[nodiscard]] std::uint64_t unsent_bytes() const;
  /// Everything it counts, as `shingled_server_...`.
  void report(MetricReport& report) const;

 private:
  class Impl;
  explicit FuzzyServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace shingled::storage::server
