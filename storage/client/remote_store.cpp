#include "storage/client/remote_store.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "config/base/unique_fd.h"
#include "storage/client/exchange.h"
#include "storage/client/service.h"

namespace shingled::storage {

class RemoteStore::Impl : public Service {};

Result<std::unique_ptr<RemoteStore>> RemoteStore::open(const RemoteOptions& options, Clock& clock,
                                                       Random& random) {
  if (options.servers.empty()) return Error{ErrorCode::kInvalid, "no server is named"};
  std::vector<std::vector<SocketAddress>> servers;
  for (const SocketSpec& spec : options.servers) {
    if (spec.kind == SocketSpec::Kind::kUnix) {
      return Error{ErrorCode::kInvalid,
                   "'" + spec.to_string() + "': a fuzzy service has an IP address"};
    }
    auto addresses = SocketAddress::resolve(spec);
    if (!addresses) return addresses.error();
    servers.push_back(std::move(*addresses));
  }
  std::optional<Sealing> sealing;
  if (options.encryption_key) {
    const Keypair own = generate_keypair(random);
    const auto key = shared_key(own.secret_key, *options.encryption_key);
    if (!key) return Error{ErrorCode::kInvalid, "the encryption key is not a public key"};
    sealing = Sealing{*options.encryption_key, own.public_key, *key};
  }
  return std::unique_ptr<RemoteStore>(new RemoteStore(std::unique_ptr<Impl>(
      new Impl{{options, std::move(sealing),
                Upstreams(servers, options.errors_max, options.revive_time), clock, random}})));
}

RemoteStore::RemoteStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RemoteStore::~RemoteStore() = default;
std::size_t RemoteStore::size() const { return impl_->upstreams.servers(); }

namespace {

/// The sockets of some exchanges and the one wait for all of them.   Threads: one thread.
class Wait {
 public:
  explicit Wait(Clock& clock) : clock_(clock) {}

  void add(Service& service, Exchange& exchange) {
    const std::size_t endpoints = service.upstreams.endpoints().size();
    parties_.push_back({&service, &exchange, std::vector<std::size_t>(endpoints, kNoChannel)});
  }

  void run(TimePoint deadline) {
    while (true) {
      const TimePoint now = clock_.now();
      TimePoint due = deadline;
      bool open = false;
      for (Party& party : parties_) {
        if (now >= deadline) party.exchange->give_up(now);
        while (const auto packet = party.exchange->next_packet(now)) send(party, *packet, now);
        if (party.exchange->done()) continue;
        open = true;
        due = std::min(due, party.exchange->due());
      }
      if (!open) return;
      wait_until(due, now);
    }
  }

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

  void send(Party& party, const Exchange::Outgoing& outgoing, TimePoint now) {
    std::size_t& number = party.channel_of[outgoing.endpoint];
    if (number == kNoChannel) {
      const SocketAddress& address =
          party.service->upstreams.endpoints()[outgoing.endpoint].address;
      UniqueFd fd(socket(address.family(), SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
      // Connected: only this server's packets come in, and the system tells us when nobody is
      // there.
      if (!fd || connect(fd.get(), address.get(), address.length()) != 0) {
        party.exchange->unreachable(outgoing.endpoint, std::strerror(errno), now);
        return;
      }
      number = channels_.size();
      polls_.push_back({fd.get(), POLLIN, 0});
      channels_.push_back(
          {static_cast<std::size_t>(&party - parties_.data()), outgoing.endpoint, std::move(fd)});
    }
    const int fd = channels_[number].fd.get();
    const auto sent = ::send(fd, outgoing.packet.data(), outgoing.packet.size(), MSG_NOSIGNAL);
    // A full buffer is a lost packet: it will be repeated.
    if (sent < 0 && errno != EAGAIN && errno != ENOBUFS && errno != EINTR)
      party.exchange->unreachable(outgoing.endpoint, std::strerror(errno), now);
  }

  void wait_until(TimePoint due, TimePoint now) {
    const auto left = std::max(due - now, Duration::zero());
    timespec timeout{};
    timeout.tv_sec = std::chrono::duration_cast<std::chrono::seconds>(left).count();
    timeout.tv_nsec = std::chrono::nanoseconds(left % std::chrono::seconds(1)).count();
    if (ppoll(polls_.data(), polls_.size(), &timeout, nullptr) <= 0) return;
    const TimePoint then = clock_.now();
    for (std::size_t i = 0; i < polls_.size(); ++i) {
      if (polls_[i].revents != 0) receive(channels_[i], then);
    }
  }

  void receive(const Channel& channel, TimePoint now) {
    Exchange& exchange = *parties_[channel.party].exchange;
    std::array<std::uint8_t, kCommandBytesMax> packet{};
    while (true) {
      const auto got = recv(channel.fd.get(), packet.data(), packet.size(), 0);
      if (got >= 0) {
        exchange.receive(channel.endpoint, BytesView(packet).first(static_cast<std::size_t>(got)),
                         now);
        continue;
      }
      if (errno == EINTR) continue;
      if (errno != EAGAIN) exchange.unreachable(channel.endpoint, std::strerror(errno), now);
      return;
    }
  }

  Clock& clock_;
  std::vector<Party> parties_;
  std::vector<Channel> channels_;
  std::vector<pollfd> polls_;  // beside `channels_`
};

}  // namespace

std::vector<std::vector<RemoteAnswer>> ask(std::span<const RemoteBatch> batches,
                                           TimePoint deadline) {
  std::vector<std::vector<RemoteAnswer>> out;
  if (batches.empty()) return out;
  Clock& clock = batches.front().store->impl().clock;
  std::vector<Exchange> exchanges;
  exchanges.reserve(batches.size());  // `Wait` keeps pointers to them
  Wait wait(clock);
  for (const RemoteBatch& batch : batches) {
    Service& service = batch.store->impl();
    exchanges.emplace_back(service, batch.requests, Exchange::Audience::kAsNeeded, clock.now());
    wait.add(service, exchanges.back());
  }
  wait.run(deadline);
  for (const Exchange& exchange : exchanges) out.push_back(exchange.answers());
  return out;
}

std::vector<RemoteAnswer> ask_each(RemoteStore& store, const RemoteRequest& request,
                                   TimePoint deadline) {
  Service& service = store.impl();
  Exchange exchange(service, {&request, 1}, Exchange::Audience::kEveryone, service.clock.now());
  Wait wait(service.clock);
  wait.add(service, exchange);
  wait.run(deadline);
  return exchange.answers();
}

}  // namespace shingled::storage
