#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "config/options/storage_options.h"
#include "storage/engine/engine.h"
#include "storage/replication/replication_counters.h"

namespace shingled::storage::replication {

/// Pushes the updates of this store to its mirrors, and receives the updates that its masters push.
/// The facade of this folder.
///
/// Listens if there are masters. A connection from another address is closed before a byte is read.
/// The engine must keep a journal if there are mirrors (EngineOptions::journal_max), and must
/// outlive this object.
/// Does not: pass on what another store was taught, so every master must name each of its mirrors;
/// copy counters, reports or known files.
/// Threads: one own thread, "replication", for all sockets; `start` starts it, the destructor joins
/// it. Any thread may call `counters`.
class ReplicationService {
 public:
  /// Errors: kUnavailable (port in use), those of ReplicaReader::open, kInvalid (no key).
  static Result<std::unique_ptr<ReplicationService>> start(const ReplicationOptions& options,
                                                           const std::string& hashfile,
                                                           engine::Engine& engine, Clock& clock,
                                                           Random& random, Logger& logger);
  ~ReplicationService();
  ReplicationService(const ReplicationService&) = delete;
  ReplicationService& operator=(const ReplicationService&) = delete;
  ReplicationService(ReplicationService&&) = delete;
  ReplicationService& operator=(ReplicationService&&) = delete;

  /// The addresses on which it listens, with the ports that the system chose.
  [[nodiscard]] const std::vector<SocketAddress>& addresses() const;
  /// The counters; at most about a second old.
  [[nodiscard]] ReplicationCounters counters() const;

 private:
  class Impl;
  explicit ReplicationService(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace shingled::storage::replication
