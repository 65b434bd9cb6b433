#pragma once

#include <poll.h>

#include <cstddef>
#include <stop_token>
#include <vector>

#include "config/base/clock.h"
#include "config/system/unique_fd.h"
#include "storage/client/exchange.h"
#include "storage/client/tcp_pool.h"

namespace shingled::storage::client {

/// The sockets of some exchanges, and one loop that waits for all of them.
///
/// The first packet of a question goes over TCP if the pool of its service has a connection.
/// Repeats, and packets that a broken connection has lost, go over UDP.
/// Threads: one thread.
/// Cost: one socket per exchange and server that is asked.
class Wait {
 public:
  explicit Wait(Clock& clock) : clock_(clock) {}

  /// Both must live until `run` has returned.
  void add(Service& service, Exchange& exchange);
  /// Sends and receives until every exchange is done. Gives up the others at the deadline, or soon
  /// after `stop`.
  void run(TimePoint deadline, const std::stop_token& stop = {});

 private:
  static constexpr std::size_t kNoChannel = ~std::size_t{0};
  struct Route {
    std::size_t channel = kNoChannel;  // made when it is first needed
    std::size_t stream = kNoChannel;
    bool asked_pool = false;
    std::size_t again = 0;  // packets to repeat over `stream`, which replaces another one
  };
  struct Party {
    Service* service;
    Exchange* exchange;
    std::vector<Route> routes;  // by endpoint
  };
  struct Stream {
    std::size_t party;
    std::size_t endpoint;
    TcpChannel channel;
    bool over = false;  // broken, or back in the pool
  };
  struct Channel {
    std::size_t party;
    std::size_t endpoint;
    UniqueFd fd;
  };

  void send(std::size_t party, const Exchange::Outgoing& outgoing, TimePoint now);
  /// Whether a repeat goes over a connection that has replaced another one, or replaces it now.
  bool repeats_by_stream(std::size_t party, const Exchange::Outgoing& outgoing, TimePoint now);
  bool send_by_stream(std::size_t party, const Exchange::Outgoing& outgoing, TimePoint now);
  [[nodiscard]] const SocketAddress& address_of(const Stream& stream) const;
  TimePoint leave_slow_streams(TimePoint now);
  void attend(Stream& stream, TimePoint now);
  void open_stream(std::size_t party, std::size_t endpoint, TcpPool::Link link);
  void lose(Stream& stream, TimePoint now);
  /// Puts a new connection in the place of one that the peer may have forgotten. Returns whether
  /// there is one; it takes the packets that have no answer.
  bool renew(Stream& stale, TimePoint now);
  void put_back_streams();
  /// Waits for packets and takes them. Returns a time: what had come by then is taken, so that no
  /// question is given up while its answer lies in a buffer.
  TimePoint wait_until(TimePoint due, TimePoint now);
  void receive(const Channel& channel, TimePoint now);

  Clock& clock_;
  std::vector<Party> parties_;
  std::vector<Channel> channels_;
  std::vector<Stream> streams_;
  std::vector<pollfd> polls_;  // of `channels_`, then of `streams_`
};

}  // namespace shingled::storage::client
