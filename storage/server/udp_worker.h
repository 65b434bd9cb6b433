#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "config/base/clock.h"
#include "storage/server/request_handler.h"
#include "storage/server/udp_socket.h"
#include "storage/server/worker_shared.h"

namespace shingled::storage::server {

/// One thread of the server for UDP: its sockets, its handler, its batches.
///
/// Threads: constructed on any thread, then `run` on one thread; any thread may call `counters` and
/// `sources`.
class UdpWorker {
 public:
  /// `sockets`: one for each listening address.
  UdpWorker(std::size_t number, const WorkerShared& shared, std::vector<UdpSocket> sockets);

  /// Serves until `stop`. Then it waits for the updates in progress for at most kDrainMax and
  /// answers them. After the request to stop, the mailbox of this worker must be woken.
  void run(const std::stop_token& stop);
  [[nodiscard]] ServerCounters counters() const { return counters_.read(); }
  [[nodiscard]] access::SourceTally::Reading sources() const { return handler_.sources().read(); }

 private:
  void wait(int timeout_ms);
  void serve(std::size_t socket);
  /// Applies new settings after a reload.
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
  // Large; the worker is on the heap.
  ReceiveBatch received_;
  SendBatch replies_;
  // The CHECKs of a batch, which are looked up together.
  struct Asked {
    std::size_t packet = 0;  // index in received_
    PendingCheck check;
  };
  std::array<Asked, kBatchPackets> asked_;
  std::size_t asked_count_ = 0;
  std::array<std::optional<Match>, kBatchPackets> matches_;
};

}  // namespace shingled::storage::server
