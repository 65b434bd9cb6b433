#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "config/base/clock.h"
#include "config/system/stream_listener.h"
#include "config/system/unique_fd.h"
#include "storage/server/connection_table.h"
#include "storage/server/server_counters.h"
#include "storage/server/stream_handler.h"

namespace shingled::storage::server {

/// What the TCP workers share: the numbers of connections and of unsent bytes.
/// Threads: any thread.
struct TcpShared {
  ConnectionTable connections;
  ByteBudget unsent;
};

/// One thread of the server for TCP: its listening sockets, its connections, its handler.
///
/// An idle connection costs a descriptor and some hundred bytes. A connection is read only when all
/// its replies were sent and not too many of its updates wait. So a client that does not read its
/// replies makes us hold at most the replies to one read. A connection is closed if
///   - it brought no request for `timeout`, unless it waits for updates;
///   - a frame has a length that is not allowed, or its source is blocked;
///   - its replies would exceed `unsent_bytes_max`, a limit for all connections together;
///   - there is no memory for it.
/// When there are too many connections, a new one takes the place of a connection of the source
/// that holds most, otherwise of this worker's connection that was idle longest. A connection
/// counts as open until its last reply has arrived, so that the kernel holds no more than we count.
///
/// Threads: constructed on any thread, then `run` on one thread; any thread may call `counters` and
/// `sources`.
class TcpWorker {
 public:
  /// `number`: of its mailbox in PendingUpdates. `listeners`: one for each listening address.
  TcpWorker(std::size_t number, const WorkerShared& shared, TcpShared& tcp,
            std::vector<StreamListener> listeners);

  /// Serves until `stop`. Then it accepts no more requests, waits for the updates in progress for
  /// at most kDrainMax, answers them, and waits for clients to read their replies for at most
  /// kFlushMax. After the request to stop, the mailbox of this worker must be woken.
  void run(const std::stop_token& stop);
  [[nodiscard]] ServerCounters counters() const { return counters_.read(); }
  [[nodiscard]] access::SourceTally::Reading sources() const { return handler_.sources().read(); }

  static constexpr Duration kFlushMax = std::chrono::seconds(1);
  /// Bytes read from one connection before the next connection is read.
  static constexpr std::size_t kReadBytes = std::size_t{16} * 1024;
  /// A connection with this number of waiting updates is not read.
  static constexpr std::size_t kUpdatesMax = 256;
  /// The largest size of the replies that one connection can make us hold: to all requests of one
  /// read and to its updates.
  static constexpr std::size_t kRequestsOfAReadMax =
      kReadBytes / (protocol::kFrameHeadBytes + protocol::kCommandBytes) + 1;
  static constexpr std::size_t kUnsentOfOneMax =
      (2 * kRequestsOfAReadMax + kUpdatesMax) * (protocol::kFrameHeadBytes + kSealedReplyBytesMax);
  /// A connection that was idle for less than this is not displaced as the longest idle one.
  static constexpr Duration kQuietMin = std::chrono::seconds(1);

 private:
  using Connections = std::list<TcpConnection>;  // longest idle first
  using Place = Connections::iterator;

  void wait(int timeout_ms);
  void drain();
  void look_for_new_access();
  [[nodiscard]] int until_next_close_ms() const;

  void accept_from(std::size_t listener, TimePoint now);
  void add_connection(StreamListener::Accepted accepted, TimePoint now);
  bool find_room(const IpAddress& ip, TimePoint now);
  /// The connection of this worker that makes room for the caller; nullopt if none may.
  std::optional<Place> who_gives_way(const ConnectionTable::Caller& caller, TimePoint now);
  void watch_listeners();
  void pause_listeners(TimePoint now);

  void serve(std::uint64_t name, std::uint32_t events, TimePoint now);
  bool read(Place place, TimePoint now);
  bool push(TcpConnection& connection, BytesView replies);
  bool flush(TcpConnection& connection);
  bool keep(TcpConnection& connection, BytesView replies);
  void settle(Place place);
  void wait_for(TcpConnection& connection, std::uint32_t events);
  void let_go(Place place);
  void close_arrived(TimePoint now);
  void answer_finished();
  void answer_run(std::span<const FinishedUpdate> finished, TimePoint now);
  void close_quiet(TimePoint now);
  void mark_active(Place place, TimePoint now);
  void close_named(std::uint64_t name);
  void close(Place place);

  WorkerCounters counters_;  // these two begin a cache line each
  StreamHandler handler_;
  std::size_t number_;
  WorkerShared shared_;
  TcpShared& tcp_;
  std::vector<StreamListener> listeners_;
  std::size_t listener_count_;
  UniqueFd epoll_;
  std::uint64_t access_version_ = 0;
  StreamLimits limits_;
  std::shared_ptr<const access::Access> access_;  ///< tells who is trusted
  std::optional<TimePoint> listen_again_;         // out of descriptors: accepts nobody until then
  Connections connections_;
  Connections leaving_;
  std::unordered_map<std::uint64_t, Place> by_name_;
  std::uint64_t next_name_;
  std::array<std::uint8_t, kReadBytes> read_{};
  Bytes replies_;  // buffer for the replies to one read; keeps its memory
};

}  // namespace shingled::storage::server
