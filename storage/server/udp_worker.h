#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <vector>

#include "config/base/clock.h"
#include "storage/server/request_handler.h"
#include "storage/server/udp_socket.h"
#include "storage/server/worker_shared.h"

namespace shingled::storage::server {

/// One thread of the server: its sockets, its handler, its batches.
///
/// Threads: made anywhere, then `run` on one thread; `counters` and `sources` from any.
class UdpWorker {
 public:
  /// `sockets`: one a listening address.
  UdpWorker(std::size_t number, const WorkerShared& shared, std::vector<UdpSocket> sockets);

  /// Serves until `stop`, then answers the updates under way, but waits kDrainMax for them at most.
  /// The mailbox of this worker must be woken after the stop was asked for.
  void run(const std::stop_token& stop);
  [[nodiscard]] ServerCounters counters() const { return counters_.read(); }
  [[nodiscard]] access::SourceTally::Reading sources() const { return handler_.sources().read(); }

  static constexpr Duration kDrainMax = std::chrono::seconds(10);

 private:
  void wait(int timeout_ms);
  void serve(std::size_t socket);
  /// Takes over what a reload changed.
  void look_for_new_access();
  void handle(std::size_t socket, std::size_t i, const access::Moment& now);
  void submit(std::size_t socket, std::size_t i, const PendingUpdate& pending, TimePoint now);
  void answer_checks(WallTime now);
  void answer_finished();
  void flush(std::size_t socket);

  std::size_t number_;
  WorkerShared shared_;
  std::vector<UdpSocket> sockets_;
  UniqueFd epoll_;
  WorkerCounters counters_;
  RequestHandler handler_;
  std::uint64_t access_version_ = 0;
  Duration queue_wait_max_{};
  // Large; on the heap with the worker itself.
  ReceiveBatch received_;
  SendBatch replies_;
  // The CHECKs of a batch, looked up together.
  struct Asked {
    std::size_t packet = 0;  // of received_
    PendingCheck check;
  };
  std::array<Asked, kBatchPackets> asked_;
  std::size_t asked_count_ = 0;
  std::array<std::optional<Match>, kBatchPackets> matches_;
};

}  // namespace shingled::storage::server
