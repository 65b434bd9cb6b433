#pragma once

#include <poll.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/system/stream_listener.h"
#include "storage/replication/mirror_session.h"
#include "storage/replication/replication_counters.h"
#include "storage/replication/secure_channel.h"

namespace shingled::storage::replication {

/// One connection from a master, from `accept` to its end.
/// Threads: the one of ReplicationService.
class MasterLink {
 public:
  MasterLink(StreamListener::Accepted caller, std::unique_ptr<MirrorSession> session,
             std::chrono::seconds timeout, TimePoint now, Logger& logger);

  /// The events to poll for; fd is -1 if the connection is closed.
  [[nodiscard]] pollfd wanted();
  /// Handles the events that poll(2) returned.
  void ready(short events, TimePoint now);
  /// Does one step. Returns whether there is more to do at once.
  bool work(TimePoint now);
  /// The latest time for the next call of `work`.
  [[nodiscard]] TimePoint due() const;
  [[nodiscard]] LinkCounters counters(TimePoint now) const;

  /// Closes the connection if it is open. Logs the reason if the master has proved its key.
  void end(const Error& error);
  [[nodiscard]] bool is_open() const { return stream_.has_value(); }
  /// Whether the connection is closed and no batch of it is with the writer.
  [[nodiscard]] bool is_over() const { return !is_open() && session_->is_idle(); }
  [[nodiscard]] MirrorSession& session() { return *session_; }
  [[nodiscard]] const std::optional<IpAddress>& ip() const { return ip_; }
  [[nodiscard]] bool was_proved() const { return session_->master().has_value(); }

 private:
  const std::string address_;
  const std::optional<IpAddress> ip_;
  const std::chrono::seconds timeout_;
  Logger& logger_;
  std::optional<TcpStream> stream_;
  std::unique_ptr<MirrorSession> session_;
  TimePoint opened_;
  TimePoint heard_;
  TimePoint beat_;
  TimePoint level_;  ///< when the mirror last had all known changes
  bool said_following_ = false;
};

/// Chooses the caller that must leave to make room for a new `caller`; nullopt if there is room.
/// `unproved`: the addresses of the callers that have not proved their key yet, oldest first.
///
/// The new caller always gets in, so connections that send nothing cannot keep a master out. If its
/// own address has kUnprovedOfOneMax connections, the oldest of these leaves. If there are
/// kUnprovedMax in all, the oldest one of the address with the most connections leaves.
/// Threads: stateless.
/// Cost: O(n^2); n is at most kUnprovedMax.
std::optional<std::size_t> who_makes_room(std::span<const IpAddress> unproved,
                                          const IpAddress& caller);

}  // namespace shingled::storage::replication
