#pragma once

#include <poll.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/outage.h"
#include "config/base/random.h"
#include "config/options/storage_options.h"
#include "config/system/address_lookup.h"
#include "storage/replication/master_session.h"
#include "storage/replication/replication_counters.h"
#include "storage/replication/tcp_stream.h"

namespace shingled::storage::replication {

/// A master's lasting link to one mirror: looks its name up, connects, runs a session, and when
/// that ends, tries again (kRetry says when), for ever. The wait is short again, and a
/// next failure worth a line in the log, once a mirror has committed something or has stayed for
/// master_timeout.
/// Threads: the one of ReplicationService.
class MirrorLink {
 public:
  /// `wake` is called from another thread when there is something for `work`.
  MirrorLink(const MirrorOptions& mirror, const ReplicationOptions& options, const StoreId& self,
             sqlite::ReplicaReader& reader, Random& random, Logger& logger,
             std::function<void()> wake);

  /// What to poll for; an fd of -1 when there is nothing.
  [[nodiscard]] pollfd wanted();
  /// What came of it.
  void ready(short events, TimePoint now);
  /// One step. True: there is more to do at once.
  bool work(TimePoint now);
  /// When `work` is to be called at the latest.
  [[nodiscard]] TimePoint due() const;
  [[nodiscard]] LinkCounters counters(std::uint32_t wall_now);

 private:
  void connect(TimePoint now);
  void connected(TimePoint now);
  void failed(const Error& error, TimePoint now);
  void read(TimePoint now);
  /// What a session that works well is worth: a short wait after its end, and a line in the log.
  void mark_healthy(TimePoint now);

  const MirrorOptions mirror_;
  const Keypair own_;
  const std::chrono::seconds timeout_;
  const StoreId self_;
  sqlite::ReplicaReader& reader_;
  Random& random_;
  Logger& logger_;

  std::optional<TcpStream> stream_;
  std::unique_ptr<MasterSession> session_;  ///< once it is connected
  AddressLookup lookup_;
  std::vector<SocketAddress> addresses_;  ///< not tried yet
  TimePoint retry_at_{};
  std::uint32_t failures_ = 0;  ///< in a row, each of all addresses
  TimePoint opened_{};
  TimePoint heard_{};
  TimePoint beat_{};
  bool said_following_ = false;
  Outage outage_;                           ///< said in the log
  std::optional<std::uint64_t> committed_;  ///< by the last session
  LinkCounters counters_;
};

}  // namespace shingled::storage::replication
