#include "storage/server/udp_server.h"

#include <pthread.h>
#include <sched.h>

#include <string>
#include <thread>
#include <utility>

#include "storage/server/udp_worker.h"

namespace shingled::storage {

namespace {

constexpr std::size_t kWorkersMax = 256;

/// Processors this process may run on.
std::size_t processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<std::size_t>(CPU_COUNT(&set));
}

Result<std::vector<SocketAddress>> resolve_all(const std::vector<SocketSpec>& specs) {
  std::vector<SocketAddress> out;
  for (const SocketSpec& spec : specs) {
    if (spec.kind == SocketSpec::Kind::kUnix) {
      return Error{ErrorCode::kInvalid,
                   "the fuzzy service listens on IP addresses, not on '" + spec.to_string() + "'"};
    }
    auto addresses = SocketAddress::resolve(spec);
    if (!addresses) return addresses.error();
    out.insert(out.end(), addresses->begin(), addresses->end());
  }
  return out;
}

/// A socket for each worker, all on one address.
Result<std::vector<UdpSocket>> bind_for_all(const SocketAddress& address, std::size_t workers,
                                            std::uint64_t buffer_bytes) {
  // SO_REUSEPORT would let a second daemon share the port unseen, so first see that nobody has it.
  if (address.port() != 0) {
    if (auto probe = UdpSocket::bind(address, UdpSocket::Sharing::kAlone, buffer_bytes); !probe)
      return probe.error();
  }
  std::vector<UdpSocket> sockets;
  for (std::size_t i = 0; i < workers; ++i) {
    const SocketAddress& same = sockets.empty() ? address : sockets.front().address();
    auto socket = UdpSocket::bind(same, UdpSocket::Sharing::kAmongUs, buffer_bytes);
    if (!socket) return socket.error();
    sockets.push_back(std::move(*socket));
  }
  return sockets;
}

}  // namespace

class UdpServer::Impl {
 public:
  Impl(const ServerOptions& options, Access access, std::size_t workers, FuzzyStore& store,
       Clock& clock, Random& random, Logger& logger)
      : logger_(logger),
        access_({std::make_shared<const Access>(std::move(access)), options.keypair_cache_size,
                 options.queue_wait_max}),
        desk_(std::make_shared<UpdateDesk>(workers)),
        losses_(logger),
        shared_{store, clock, random, access_, *desk_, losses_} {
    desk_->remember(store.recent_updates(), clock.now());
  }

  ~Impl() {
    for (std::jthread& thread : threads_) thread.request_stop();
    for (std::size_t i = 0; i < threads_.size(); ++i) desk_->mailbox(i).wake();
    threads_.clear();  // joins
    tell_counters();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  Impl(Impl&&) = delete;
  Impl& operator=(Impl&&) = delete;

  /// `sockets[a]`: one for each worker on the a-th address.
  void start(std::vector<std::vector<UdpSocket>> sockets, std::size_t workers) {
    for (const auto& same_address : sockets) addresses_.push_back(same_address.front().address());
    for (std::size_t w = 0; w < workers; ++w) {
      std::vector<UdpSocket> own;
      own.reserve(sockets.size());
      for (auto& same_address : sockets) own.push_back(std::move(same_address[w]));
      workers_.push_back(std::make_unique<UdpWorker>(w, shared_, std::move(own)));
    }
    for (std::size_t w = 0; w < workers; ++w) {
      threads_.emplace_back(
          [worker = workers_[w].get()](const std::stop_token& stop) { worker->run(stop); });
      pthread_setname_np(threads_.back().native_handle(), ("fuzzy-" + std::to_string(w)).c_str());
    }
    for (const SocketAddress& address : addresses_) {
      logger_.info(LogLine("fuzzy_listening")
                       .field("address", address.to_string())
                       .field("transport", "udp")
                       .field("threads", workers));
    }
  }

  void reload(const ServerOptions& options) {
    auto access = Access::make(options);
    if (!access) {  // the loader checked it; if not, the old rights stand
      logger_.error(LogLine("fuzzy_reload_refused").field("why", access.error().message));
      return;
    }
    access_.set({std::make_shared<const Access>(std::move(*access)), options.keypair_cache_size,
                 options.queue_wait_max});
  }

  [[nodiscard]] const std::vector<SocketAddress>& addresses() const { return addresses_; }
  [[nodiscard]] ServerCounters counters() const {
    ServerCounters sum;
    for (const auto& worker : workers_) sum += worker->counters();
    return sum;
  }

 private:
  void tell_counters() {
    const ServerCounters sum = counters();
    logger_.info(LogLine("fuzzy_served")
                     .field("checks", sum.checks)
                     .field("hits", sum.hits)
                     .field("adds", sum.adds)
                     .field("deletes", sum.deletes)
                     .field("stats", sum.stats)
                     .field("pings", sum.pings)
                     .field("refused", sum.refused)
                     .field("repeats", sum.repeats)
                     .field("invalid", sum.invalid)
                     .field("undecryptable", sum.undecryptable)
                     .field("blocked", sum.blocked)
                     .field("too_late", sum.too_late)
                     .field("kernel_drops", sum.kernel_drops)
                     .field("unsent", sum.unsent));
  }

  Logger& logger_;
  AccessSource access_;
  std::shared_ptr<UpdateDesk> desk_;
  LossReport losses_;
  WorkerShared shared_;
  std::vector<SocketAddress> addresses_;
  std::vector<std::unique_ptr<UdpWorker>> workers_;
  std::vector<std::jthread> threads_;
};

Result<std::unique_ptr<UdpServer>> UdpServer::start(const ServerOptions& options, FuzzyStore& store,
                                                    Clock& clock, Random& random, Logger& logger) {
  auto access = Access::make(options);
  if (!access) return access.error();
  auto addresses = resolve_all(options.listen);
  if (!addresses) return addresses.error();
  const std::size_t workers =
      std::min(options.threads == 0 ? processors() : options.threads, kWorkersMax);
  std::vector<std::vector<UdpSocket>> sockets;
  for (const SocketAddress& address : *addresses) {
    auto bound = bind_for_all(address, workers, options.socket_buffer_bytes);
    if (!bound) return bound.error();
    sockets.push_back(std::move(*bound));
  }
  auto impl =
      std::make_unique<Impl>(options, std::move(*access), workers, store, clock, random, logger);
  impl->start(std::move(sockets), workers);
  return std::unique_ptr<UdpServer>(new UdpServer(std::move(impl)));
}

UdpServer::UdpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
UdpServer::~UdpServer() = default;

void UdpServer::reload(const ServerOptions& options) { impl_->reload(options); }
const std::vector<SocketAddress>& UdpServer::addresses() const { return impl_->addresses(); }
ServerCounters UdpServer::counters() const { return impl_->counters(); }

}  // namespace shingled::storage
