#pragma once

#include <poll.h>

#include <cstddef>
#include <vector>

#include "config/base/clock.h"
#include "config/base/unique_fd.h"
#include "storage/client/exchange.h"

namespace shingled::storage {

/// The sockets of some exchanges and the one wait for all of them.
/// Threads: one thread. Cost: one socket per exchange and server that is asked.
class Wait {
 public:
  explicit Wait(Clock& clock) : clock_(clock) {}

  /// Both are lent until `run` is over.
  void add(Service& service, Exchange& exchange);
  /// Sends and receives until every exchange is done or has been given up at the deadline.
  void run(TimePoint deadline);

 private:
  static constexpr std::size_t kNoChannel = ~std::size_t{0};
  struct Party {
    Service* service;
    Exchange* exchange;
    std::vector<std::size_t> channel_of;  // endpoint -> its channel, made when first needed
  };
  struct Channel {
    std::size_t party;
    std::size_t endpoint;
    UniqueFd fd;
  };

  void send(std::size_t party, const Exchange::Outgoing& outgoing, TimePoint now);
  void wait_until(TimePoint due, TimePoint now);
  void receive(const Channel& channel, TimePoint now);

  Clock& clock_;
  std::vector<Party> parties_;
  std::vector<Channel> channels_;
  std::vector<pollfd> polls_;  // beside `channels_`
};

}  // namespace shingled::storage
