#include "storage/server/fuzzy_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

#include "config/system/bound_socket.h"
#include "storage/access/access_reloader.h"
#include "storage/server/tcp_worker.h"
#include "storage/server/udp_worker.h"

namespace shingled::storage::server {

namespace {

constexpr std::size_t kWorkersMax = 256;

/// Number of processors that this process may run on.
std::size_t processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<std::size_t>(CPU_COUNT(&set));
}

AccessSource::Snapshot snapshot_of(const access::AccessReloader& reloader) {
  const ServerOptions& options = reloader.options();
  return {reloader.access(), options.keypair_cache_size, options.queue_wait_max,
          StreamLimits::of(options)};
}

LogLine served_line(const ServerCounters& sum) {
  LogLine line("fuzzy_served");
  log_counters(sum, line);
  return line;
}

}  // namespace

class FuzzyServer::Impl {
 public:
  /// `workers`: number for each transport.
  Impl(std::unique_ptr<access::AccessReloader> reloader, std::size_t workers, FuzzyStore& store,
       Clock& clock, Random& random, Logger& logger)
      : logger_(logger),
        clock_(clock),
        reloader_(std::move(reloader)),
        access_(snapshot_of(*reloader_)),
        pending_(
            std::make_shared<PendingUpdates>(2 * workers, clock, reloader_->options().repeats)),
        losses_(logger),
        shared_{store, clock, random, access_, *pending_, losses_} {
    pending_->remember(store.recent_updates(), store.recent_seals());
  }

  ~Impl() {
    for (std::jthread& thread : threads_) thread.request_stop();
    wake_all();
    threads_.clear();  // joins
    logger_.info(served_line(counters()));
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  Impl(Impl&&) = delete;
  Impl& operator=(Impl&&) = delete;

  void start(ServerPorts ports) {
    for (const SocketAddress& address : ports.left_out) {
      logger_.warning(LogLine("fuzzy_not_listening")
                          .field("address", address.to_string())
                          .field("why", "this machine has no IPv6"));
    }
    addresses_ = std::move(ports.addresses);
    for (auto& sockets : ports.udp)
      udp_.push_back(std::make_unique<UdpWorker>(udp_.size(), shared_, std::move(sockets)));
    for (auto& listeners : ports.tcp) {
      tcp_.push_back(std::make_unique<TcpWorker>(udp_.size() + tcp_.size(), shared_, streams_,
                                                 std::move(listeners)));
    }
    run_all(udp_, "fuzzy-");
    run_all(tcp_, "fuzzy-tcp-");
    for (const SocketAddress& address : addresses_) {
      tell_listening(address, "udp", udp_.size());
      if (!tcp_.empty()) tell_listening(address, "tcp", tcp_.size());
    }
  }

  Status reload(const ServerOptions& options) {
    if (Status status = reloader_->reload(options); !status) return status;
    access_.set(snapshot_of(*reloader_));
    wake_all();  // a worker may sleep with the old timeout
    return {};
  }
  void refresh() {
    if (reloader_->refresh()) access_.set(snapshot_of(*reloader_));
  }
  void save_limits(const std::string& path) const {
    reloader_->save_limits(path, {clock_.now(), clock_.wall()});
  }

  [[nodiscard]] const std::vector<SocketAddress>& addresses() const { return addresses_; }
  [[nodiscard]] ServerCounters counters() const {
    ServerCounters sum;
    for (const auto& worker : udp_) sum += worker->counters();
    for (const auto& worker : tcp_) sum += worker->counters();
    return sum;
  }
  [[nodiscard]] std::size_t connections() { return streams_.connections.size(); }
  [[nodiscard]] std::uint64_t unsent_bytes() const { return streams_.unsent.held(); }
  void report(MetricReport& report) {
    report_server(counters(), report);
    report.gauge({"shingled_server_tcp_open", "TCP connections that are open."},
                 std::uint64_t{connections()});
    report.gauge(
        {"shingled_server_tcp_unsent_bytes", "Bytes of replies that clients have not read yet."},
        unsent_bytes());
    const auto access = access_.get().access;
    access->sources().report(report);
    access::report_keys(access->key_readings(), report);
    std::vector<access::SourceTally::Reading> sources;
    for (const auto& worker : udp_) sources.push_back(worker->sources());
    for (const auto& worker : tcp_) sources.push_back(worker->sources());
    access::report_sources(sources, report);
  }

 private:
  template <typename Worker>
  void run_all(const std::vector<std::unique_ptr<Worker>>& workers, const std::string& name) {
    for (std::size_t i = 0; i < workers.size(); ++i) {
      threads_.emplace_back(
          [worker = workers[i].get()](const std::stop_token& stop) { worker->run(stop); });
      pthread_setname_np(threads_.back().native_handle(), (name + std::to_string(i)).c_str());
    }
  }
  void wake_all() {
    for (std::size_t i = 0; i < threads_.size(); ++i) pending_->mailbox(i).wake();
  }
  void tell_listening(const SocketAddress& address, const char* transport, std::size_t threads) {
    logger_.info(LogLine("fuzzy_listening")
                     .field("address", address.to_string())
                     .field("transport", transport)
                     .field("threads", threads));
  }

  Logger& logger_;
  Clock& clock_;
  std::unique_ptr<access::AccessReloader> reloader_;
  AccessSource access_;
  std::shared_ptr<PendingUpdates> pending_;
  LossReport losses_;
  WorkerShared shared_;
  TcpShared streams_;
  std::vector<SocketAddress> addresses_;
  std::vector<std::unique_ptr<UdpWorker>> udp_;
  std::vector<std::unique_ptr<TcpWorker>> tcp_;
  std::vector<std::jthread> threads_;
};

Result<std::unique_ptr<FuzzyServer>> FuzzyServer::start(const ServerOptions& options,
                                                        FuzzyStore& store, Clock& clock,
                                                        Random& random, Logger& logger,
                                                        const std::string& limits_file) {
  auto reloader = access::AccessReloader::open(options, random, logger);
  if (!reloader) return reloader.error();
  if (!limits_file.empty()) (*reloader)->restore_limits(limits_file, {clock.now(), clock.wall()});
  const std::size_t workers =
      std::min(options.threads == 0 ? processors() : options.threads, kWorkersMax);
  auto ports = ServerPorts::open(options, workers);
  if (!ports) return ports.error().in("storage.listen");
  auto impl = std::make_unique<Impl>(std::move(*reloader), workers, store, clock, random, logger);
  impl->start(std::move(*ports));
  return std::unique_ptr<FuzzyServer>(new FuzzyServer(std::move(impl)));
}

FuzzyServer::FuzzyServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FuzzyServer::~FuzzyServer() = default;

Status FuzzyServer::reload(const ServerOptions& options) { return impl_->reload(options); }
void FuzzyServer::refresh() { impl_->refresh(); }
void FuzzyServer::save_limits(const std::string& path) const { impl_->save_limits(path); }
const std::vector<SocketAddress>& FuzzyServer::addresses() const { return impl_->addresses(); }
ServerCounters FuzzyServer::counters() const { return impl_->counters(); }
std::size_t FuzzyServer::connections() const { return impl_->connections(); }
std::uint64_t FuzzyServer::unsent_bytes() const { return impl_->unsent_bytes(); }
void FuzzyServer::report(MetricReport& report) const { impl_->report(report); }

namespace {

// If the kernel chooses the port, it chooses a free UDP port. The TCP port of the same number may
// be in use; then we try again.
constexpr int kPortTries = 16;

/// The kernel's buffer for each direction of a connection. A fixed size keeps the kernel from
/// growing the buffer for a client that does not read.
constexpr int kKernelBufferBytes = 64 * 1024;
/// Connections that wait for `accept`.
constexpr int kBacklog = 1024;

Result<std::vector<SocketAddress>> resolve_all(const std::vector<SocketSpec>& specs) {
  for (const SocketSpec& spec : specs) {
    if (spec.kind == SocketSpec::Kind::kUnix) {
      return Error{ErrorCode::kInvalid,
                   "the fuzzy service listens on IP addresses, not on '" + spec.to_string() + "'"};
    }
  }
  return SocketAddress::resolve_all(specs);
}

Result<StreamListener> bind_tcp(const SocketAddress& address, UdpSocket::Sharing sharing) {
  // Accepted connections inherit these options.
  std::vector<SocketOption> options{{SOL_SOCKET, SO_RCVBUF, kKernelBufferBytes},
                                    {SOL_SOCKET, SO_SNDBUF, kKernelBufferBytes},
                                    {IPPROTO_TCP, TCP_NODELAY}};
  if (sharing == UdpSocket::Sharing::kAmongUs) options.push_back({SOL_SOCKET, SO_REUSEPORT});
  auto listener = StreamListener::bind(address, {.more = std::move(options)});
  if (!listener) return listener.error().in("tcp " + address.to_string());
  return listener;
}

/// Binds one socket for each worker, all on the port of `address`.
template <typename Socket, typename Bind>
Result<std::vector<Socket>> bind_for_all(const SocketAddress& address, std::size_t workers,
                                         const Bind& bind) {
  // With SO_REUSEPORT, a second daemon could share the port without an error. So first check that
  // the port is free.
  if (auto probe = bind(address, UdpSocket::Sharing::kAlone); !probe) return probe.error();
  std::vector<Socket> sockets;
  for (std::size_t i = 0; i < workers; ++i) {
    auto socket = bind(address, UdpSocket::Sharing::kAmongUs);
    if (!socket) return socket.error();
    sockets.push_back(std::move(*socket));
  }
  return sockets;
}

/// All sockets on one address: a UDP socket and a TCP socket for each worker.
struct Bound {
  std::vector<UdpSocket> udp;
  std::vector<StreamListener> tcp;
};

Result<Bound> bind_both(const SocketAddress& address, const ServerOptions& options,
                        std::size_t workers) {
  Bound bound;
  auto udp = bind_for_all<UdpSocket>(
      address, workers, [&](const SocketAddress& where, UdpSocket::Sharing sharing) {
        return UdpSocket::bind(where, sharing, options.socket_buffer_bytes);
      });
  if (!udp) return udp.error();
  bound.udp = std::move(*udp);
  if (options.tcp_connections_max == 0) return bound;
  auto tcp = bind_for_all<StreamListener>(address, workers, bind_tcp);
  if (!tcp) return tcp.error();
  bound.tcp = std::move(*tcp);
  for (StreamListener& listener : bound.tcp) {
    if (Status status = listener.listen(kBacklog); !status)
      return status.error().in("tcp " + address.to_string());
  }
  return bound;
}

/// A free port. Uses a socket without SO_REUSEPORT: with it, the kernel could choose a port that
/// another socket shares.
Result<SocketAddress> free_port(const SocketAddress& address, const ServerOptions& options) {
  const auto alone =
      UdpSocket::bind(address, UdpSocket::Sharing::kAlone, options.socket_buffer_bytes);
  if (!alone) return alone.error();
  return alone->address();
}

/// As `bind_both`, on a port that is free for UDP and TCP; the kernel chooses the UDP port.
Result<Bound> bind_somewhere(const SocketAddress& address, const ServerOptions& options,
                             std::size_t workers) {
  Result<Bound> bound = Bound{};
  for (int i = 0; i < kPortTries; ++i) {
    const auto chosen = free_port(address, options);
    if (!chosen) return chosen.error();
    bound = bind_both(*chosen, options, workers);
    if (bound) break;
  }
  return bound;
}

/// Whether the machine has this address only if it has IPv6 at all: it may be switched off in the
/// kernel, while our default is to listen on both loopback addresses.
bool needs_ipv6_alone(const SocketAddress& address) {
  const auto ip = address.ip();
  return ip && ip->family == IpAddress::Family::kV6 && ip->is_loopback();
}

bool machine_has(const SocketAddress& address) {
  SocketAddress any_port(*address.ip(), 0);
  return bind_socket(any_port, {.type = SOCK_DGRAM}).has_value();
}

}  // namespace

Result<ServerPorts> ServerPorts::open(const ServerOptions& options, std::size_t workers) {
  auto addresses = resolve_all(options.listen);
  if (!addresses) return addresses.error();
  ServerPorts ports;
  Status why;
  ports.udp.resize(workers);
  if (options.tcp_connections_max != 0) ports.tcp.resize(workers);
  for (const SocketAddress& address : *addresses) {
    auto bound = address.port() == 0 ? bind_somewhere(address, options, workers)
                                     : bind_both(address, options, workers);
    if (!bound && needs_ipv6_alone(address) && !machine_has(address)) {
      ports.left_out.push_back(address);
      why = bound.error();
      continue;
    }
    if (!bound) return bound.error();
    ports.addresses.push_back(bound->udp.front().address());
    for (std::size_t i = 0; i < workers; ++i) {
      ports.udp[i].push_back(std::move(bound->udp[i]));
      if (!ports.tcp.empty()) ports.tcp[i].push_back(std::move(bound->tcp[i]));
    }
  }
  if (ports.addresses.empty() && !why) return why.error();
  return ports;
}

}  // namespace shingled::storage::server
