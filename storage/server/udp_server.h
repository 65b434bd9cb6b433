#pragma once

#include <memory>
#include <vector>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "config/options/storage_options.h"
#include "storage/fuzzy_store.h"

namespace shingled::storage {

/// What the server has seen; every dropped packet is in exactly one of the drop counters.
struct ServerCounters {
  std::uint64_t checks = 0;
  std::uint64_t hits = 0;
  std::uint64_t adds = 0;     ///< acknowledged
  std::uint64_t deletes = 0;  ///< acknowledged
  std::uint64_t stats = 0;
  std::uint64_t pings = 0;
  std::uint64_t refused = 0;        ///< answered 401, 403, 415 or 503
  std::uint64_t repeats = 0;        ///< retransmitted updates that were counted once
  std::uint64_t invalid = 0;        ///< dropped: no command
  std::uint64_t undecryptable = 0;  ///< dropped: unknown key or bad MAC
  std::uint64_t blocked = 0;        ///< dropped: blocked source
};

/// The fuzzy service on UDP: sockets and threads around the request handler.
///
/// Threads: `start` makes options.threads workers (0 = one a processor), each with its own
/// SO_REUSEPORT socket per listening address; the destructor stops and joins them and sends the
/// replies of updates that were committed.
class UdpServer {
 public:
  /// Errors: kDenied or kUnavailable, naming the address (port in use, no permission), kNotFound
  /// (no such host).
  static Result<std::unique_ptr<UdpServer>> start(const ServerOptions& options, FuzzyStore& store,
                                                  Clock& clock, Random& random, Logger& logger);
  ~UdpServer();
  UdpServer(const UdpServer&) = delete;
  UdpServer& operator=(const UdpServer&) = delete;

  /// Takes over access lists and keys at once, between two packets; sockets and threads stay as
  /// they are.
  void reload(const ServerOptions& options);
  /// The bound addresses, with the port the kernel chose where 0 was asked for.
  [[nodiscard]] const std::vector<SocketAddress>& addresses() const;
  [[nodiscard]] ServerCounters counters() const;

 private:
  class Impl;
  explicit UdpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace shingled::storage
