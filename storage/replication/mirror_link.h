#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
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
#include "storage/replication/secure_channel.h"

namespace shingled::storage::replication {

/// A master's lasting link to one mirror: looks up its name, connects and runs a session. When the
/// session ends, the link tries again without end, after the waits of kRetry.
///
/// When a mirror has committed something, or has stayed for master_timeout, the next wait is short
/// again and the next failure is logged again.
/// Threads: the one of ReplicationService.
class MirrorLink {
 public:
  /// `wake` is called from another thread when `work` has something to do.
  MirrorLink(const MirrorOptions& mirror, const ReplicationOptions& options, const StoreId& self,
             sqlite::ReplicaReader& reader, Random& random, Logger& logger,
             std::function<void()> wake);

  /// The events to poll for; fd is -1 if there is no connection.
  [[nodiscard]] pollfd wanted();
  /// Handles the events that poll(2) returned.
  void ready(short events, TimePoint now);
  /// Does one step. Returns whether there is more to do at once.
  bool work(TimePoint now);
  /// The latest time for the next call of `work`.
  [[nodiscard]] TimePoint due() const;
  [[nodiscard]] LinkCounters counters(std::uint32_t wall_now);

 private:
  void connect(TimePoint now);
  void connected(TimePoint now);
  void failed(const Error& error, TimePoint now);
  void read(TimePoint now);
  /// If the session works well: makes the next wait short, and logs that the mirror follows.
  void mark_healthy(TimePoint now);

  const MirrorOptions mirror_;
  const Keypair own_;
  const std::chrono::seconds timeout_;
  const StoreId self_;
  sqlite::ReplicaReader& reader_;
  Random& random_;
  Logger& logger_;

  std::optional<TcpStream> stream_;
  std::unique_ptr<MasterSession> session_;  ///< set once connected
  AddressLookup lookup_;
  std::vector<SocketAddress> addresses_;  ///< not tried yet
  TimePoint retry_at_{};
  std::uint32_t failures_ = 0;  ///< in a row; one failure means that all addresses failed
  TimePoint opened_{};
  TimePoint heard_{};
  TimePoint beat_{};
  bool said_following_ = false;
  Outage outage_;                           ///< as told in the log
  std::optional<std::uint64_t> committed_;  ///< by the last session
  LinkCounters counters_;
};

}  // namespace shingled::storage::replication
