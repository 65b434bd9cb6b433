#pragma once

#include <memory>
#include <vector>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "config/options/storage_options.h"
#include "storage/engine/engine.h"
#include "storage/replication/replication_counters.h"

namespace shingled::storage::replication {

/// Pushes what this store is taught to its mirrors, and takes what its masters push. The facade of
/// this folder.
///
/// With masters it listens; from other addresses a connection is closed before a byte is read. The
/// engine must keep a journal if there are mirrors (EngineOptions::journal_max).
/// Threads: one inside, "replication", for all sockets; started by `start`, joined by the
/// destructor. `counters` from any thread. The engine must outlive it.
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

  /// Where it listens; with the ports the system chose.
  [[nodiscard]] const std::vector<SocketAddress>& addresses() const;
  /// As of the last second.
  [[nodiscard]] ReplicationCounters counters() const;

 private:
  class Impl;
  explicit ReplicationService(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace shingled::storage::replication
