#pragma once

#include <array>
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
#include "storage/server/tcp_connection.h"

namespace shingled::storage::server {

/// What the connections of all workers have together.
/// Threads: any thread.
struct TcpShared {
  ConnectionTable connections;
  ByteBudget unsent;
};

/// One thread of the server for connections: its listening sockets, its connections, its handler.
///
/// A connection costs a descriptor and some hundred bytes while it is quiet. It is read only when
/// all its replies so far have gone and not too many of its updates wait, so a client who does not
/// read holds what one read may ask for, at most. Closed is one
///   - that brought no request for `timeout`, unless it waits for updates;
///   - whose frames have a forbidden length, whose source is blocked;
///   - whose replies do not fit `unsent_bytes_max`, all connections together;
///   - for which there is no memory.
/// When there are too many, a new one takes the place of one of the source that holds most, or else
/// of the one of this worker that has been quiet longest. It counts as open until its last reply
/// has arrived, so that the kernel holds no more than we count.
///
/// Threads: made anywhere, then `run` on one thread; `counters` and `sources` from any.
class TcpWorker {
 public:
  /// `number`: of its mailbox in PendingUpdates. `listeners`: one a listening address.
  TcpWorker(std::size_t number, const WorkerShared& shared, TcpShared& tcp,
            std::vector<StreamListener> listeners);

  /// Serves until `stop`, then takes no more requests and answers the updates under way, but waits
  /// kDrainMax for them at most, and kFlushMax for clients to take their replies. Its
  /// mailbox must be woken after the stop was asked for.
  void run(const std::stop_token& stop);
  [[nodiscard]] ServerCounters counters() const { return counters_.read(); }
  [[nodiscard]] access::SourceTally::Reading sources() const { return handler_.sources().read(); }

  static constexpr Duration kDrainMax = std::chrono::seconds(10);
  static constexpr Duration kFlushMax = std::chrono::seconds(1);
  /// Of one connection, then it is another's turn.
  static constexpr std::size_t kReadBytes = std::size_t{16} * 1024;
  /// A connection that waits for so many updates is not read.
  static constexpr std::size_t kUpdatesMax = 256;
  /// Replies one connection may make us hold: to all requests of one read and to its updates.
  static constexpr std::size_t kRequestsOfAReadMax =
      kReadBytes / (protocol::kFrameHeadBytes + protocol::kCommandBytes) + 1;
  static constexpr std::size_t kUnsentOfOneMax =
      (2 * kRequestsOfAReadMax + kUpdatesMax) * (protocol::kFrameHeadBytes + kSealedReplyBytesMax);
  /// Who has been quiet for less keeps his place, however many want it.
  static constexpr Duration kQuietMin = std::chrono::seconds(1);

 private:
  using Connections = std::list<TcpConnection>;  // quiet longest first
  using Place = Connections::iterator;

  void wait(int timeout_ms);
  void drain();
  void look_for_new_access();
  [[nodiscard]] int until_next_close_ms() const;

  void accept_from(std::size_t listener, TimePoint now);
  void take_in(StreamListener::Accepted accepted, TimePoint now);
  bool find_room(const IpAddress& ip, TimePoint now);
  /// Which of our connections gives way to him.
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

  std::size_t number_;
  WorkerShared shared_;
  TcpShared& tcp_;
  std::vector<StreamListener> listeners_;
  std::size_t listener_count_;
  UniqueFd epoll_;
  WorkerCounters counters_;
  StreamHandler handler_;
  std::uint64_t access_version_ = 0;
  StreamLimits limits_;
  std::shared_ptr<const access::Access> access_;  ///< who is trusted
  std::optional<TimePoint> listen_again_;         // no descriptors: nobody is taken until then
  Connections connections_;
  Connections leaving_;
  std::unordered_map<std::uint64_t, Place> by_name_;
  std::uint64_t next_name_;
  std::array<std::uint8_t, kReadBytes> read_{};
  Bytes replies_;  // to be sent at once; its memory is kept
};

}  // namespace shingled::storage::server
