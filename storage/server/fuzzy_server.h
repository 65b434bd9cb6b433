#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "config/base/result.h"
#include "config/options/storage_options.h"
#include "config/system/socket_address.h"
#include "config/system/stream_listener.h"
#include "storage/model/fuzzy_store.h"
#include "storage/server/server_counters.h"
#include "storage/server/udp_socket.h"

namespace shingled {
class MetricReport;  // config/metrics/metric_report.h
}

namespace shingled::storage::server {

/// The sockets of a server. For each listening address, each worker has a UDP socket and a TCP
/// socket, all on one port. The kernel distributes the senders over the workers.
struct ServerPorts {
  std::vector<SocketAddress> addresses;
  /// IPv6 loopback, on a machine without IPv6, where there are other addresses.
  std::vector<SocketAddress> left_out;
  std::vector<std::vector<UdpSocket>> udp;  ///< [worker][address]
  /// [worker][address]; listening already. Empty without TCP.
  std::vector<std::vector<StreamListener>> tcp;

  /// Errors: kDenied or kUnavailable, with transport and address (port in use, no permission);
  /// kNotFound (no such host); kInvalid (a path instead of an address).
  static Result<ServerPorts> open(const ServerOptions& options, std::size_t workers);
};

/// The fuzzy service on UDP and TCP: sockets and threads around the request handler.
///
/// Does not: answer a packet that cannot be parsed or decrypted (it is counted); keep hashes, which
/// is the matter of the store; take in what masters push (storage/replication).
///
/// Threads: `start` makes options.threads workers for UDP (0 = one per processor) and, unless
/// options.tcp_connections_max is 0, the same number for TCP. Each worker has its own SO_REUSEPORT
/// socket for each listening address. The destructor stops and joins the workers, sends the replies
/// of committed updates, and logs the counters.
class FuzzyServer {
 public:
  /// `limits_file`: the file in which `save_limits` saved the buckets of the rate limits. If it
  /// exists, the workers begin with these buckets. Empty = no file.
  /// Errors: kDenied or kUnavailable, with the address (port in use, no permission); kNotFound (no
  /// such host).
  static Result<std::unique_ptr<FuzzyServer>> start(const ServerOptions& options, FuzzyStore& store,
                                                    Clock& clock, Random& random, Logger& logger,
                                                    const std::string& limits_file = {});
  ~FuzzyServer();
  FuzzyServer(const FuzzyServer&) = delete;
  FuzzyServer& operator=(const FuzzyServer&) = delete;
  FuzzyServer(FuzzyServer&&) = delete;
  FuzzyServer& operator=(FuzzyServer&&) = delete;

  /// Applies new access lists, limits and keys between two packets; sockets and threads stay as
  /// they are.
  /// Errors: those of AccessReloader; then nothing has changed.
  Status reload(const ServerOptions& options);
  /// Reads the files of access lists and keys again if they have changed. Call it about every
  /// second, from the thread that calls `reload`.
  void refresh();
  /// Saves the buckets of the rate limits, if there are limits.
  void save_limits(const std::string& path) const;
  /// The bound addresses. Where the options say port 0, with the port that the kernel chose.
  [[nodiscard]] const std::vector<SocketAddress>& addresses() const;
  [[nodiscard]] ServerCounters counters() const;
  /// Number of open TCP connections.
  [[nodiscard]] std::size_t connections() const;
  /// Bytes of replies that wait because their clients do not read them.
  [[nodiscard]] std::uint64_t unsent_bytes() const;
  /// Reports all counters as metrics `shingled_server_...`.
  void report(MetricReport& report) const;

 private:
  class Impl;
  explicit FuzzyServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace shingled::storage::server
