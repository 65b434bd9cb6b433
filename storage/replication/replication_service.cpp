#include "storage/replication/replication_service.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <variant>

#include "config/base/guarded.h"
#include "config/system/stream_listener.h"
#include "config/system/wake_event.h"
#include "storage/crypto/keypair.h"
#include "storage/replication/master_link.h"
#include "storage/replication/mirror_link.h"

namespace shingled::storage::replication {
namespace {

constexpr std::chrono::seconds kCountEvery{1};
constexpr std::chrono::seconds kTellEvery{60};  ///< log how far mirrors lag
constexpr int kBacklog = 256;                   ///< many may connect at once

Result<StreamListener> listen_at(const SocketAddress& address) {
  const std::string binding = "cannot listen on " + address.to_string();
  auto listener = StreamListener::bind(
      address, {.backlog = kBacklog, .more = {{IPPROTO_TCP, TCP_NODELAY}}, .binding = binding});
  if (!listener) return Error{ErrorCode::kUnavailable, listener.error().message};
  return listener;
}

}  // namespace

class ReplicationService::Impl {
 public:
  Impl(const ReplicationOptions& options, std::unique_ptr<sqlite::ReplicaReader> reader,
       engine::Engine& engine, Clock& clock, Random& random, Logger& logger)
      : options_(options),
        reader_(std::move(reader)),
        engine_(engine),
        clock_(clock),
        random_(random),
        logger_(logger),
        wake_(std::make_shared<WakeEvent>()) {}
  ~Impl() {
    engine_.watch_commits({});
    thread_.request_stop();
    wake_->wake();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  Impl(Impl&&) = delete;
  Impl& operator=(Impl&&) = delete;

  Status open();
  void run(const std::stop_token& stop);

  [[nodiscard]] const std::vector<SocketAddress>& addresses() const { return addresses_; }
  [[nodiscard]] ReplicationCounters counters() const { return *counters_.lock(); }

 private:
  Status listen();
  void accept(StreamListener& listener, TimePoint now);
  /// Closes a connection whose caller has not proved its key, if there are too many of them.
  void make_room(const IpAddress& caller, TimePoint now);
  void poll_once(bool at_once);
  bool work(TimePoint now);
  void let_begin();
  void count(TimePoint now);
  void tell(const char* event, const LinkCounters& link);

  const ReplicationOptions options_;
  std::unique_ptr<sqlite::ReplicaReader> reader_;
  engine::Engine& engine_;
  Clock& clock_;
  Random& random_;
  Logger& logger_;
  std::shared_ptr<WakeEvent> wake_;  ///< callbacks of batches may outlive this object
  std::vector<StreamListener> listeners_;
  std::vector<SocketAddress> addresses_;
  std::vector<std::unique_ptr<MirrorLink>> mirrors_;
  std::vector<std::unique_ptr<MasterLink>> masters_;
  std::uint64_t refused_ = 0;
  TimePoint count_at_{};
  TimePoint tell_at_{};
  TimePoint crowd_told_at_{};
  mutable Guarded<ReplicationCounters> counters_;
  std::jthread thread_;
};

Status ReplicationService::Impl::open() {
  if (options_.sync_keypair.empty()) {
    return Error{ErrorCode::kInvalid, "storage.sync_keypair: not set"};
  }
  const Keypair& own = options_.sync_keypair.front();
  if (crypto::public_key_of(own.secret_key) != own.public_key) {
    return Error{ErrorCode::kInvalid,
                 "storage.sync_keypair: the private key does not belong to the public key"};
  }
  if (options_.mirrors.size() > kMirrorsMax) {
    return Error{ErrorCode::kLimit,
                 "storage.mirror: more than " + std::to_string(kMirrorsMax) + " mirrors"};
  }
  if (!options_.mirrors.empty()) {
    const auto self = reader_->self();
    if (!self) return self.error();
    if (!*self) return Error{ErrorCode::kInternal, "the storage keeps no journal"};
    for (const MirrorOptions& mirror : options_.mirrors) {
      mirrors_.push_back(std::make_unique<MirrorLink>(mirror, options_, **self, *reader_, random_,
                                                      logger_, [wake = wake_] { wake->wake(); }));
    }
  }
  if (!options_.masters.empty()) {
    if (Status listening = listen(); !listening) return listening;
  }
  tell_at_ = clock_.now() + kTellEvery;
  crowd_told_at_ = clock_.now() - kTellEvery;
  engine_.watch_commits([wake = wake_] { wake->wake(); });
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  ::pthread_setname_np(thread_.native_handle(), "replication");
  return {};
}

Status ReplicationService::Impl::listen() {
  const auto addresses = SocketAddress::resolve_all(options_.listen);
  if (!addresses) return addresses.error().in("storage.replication_listen");
  for (const SocketAddress& address : *addresses) {
    auto listener = listen_at(address);
    if (!listener) return listener.error().in("storage.replication_listen");
    addresses_.push_back(listener->address());
    logger_.info(LogLine("replication_listening")
                     .field("address", listener->address().to_string())
                     .field("transport", "tcp"));
    listeners_.push_back(*std::move(listener));
  }
  return {};
}

void ReplicationService::Impl::accept(StreamListener& listener, TimePoint now) {
  while (true) {
    auto next = listener.accept();
    auto* const caller = std::get_if<StreamListener::Accepted>(&next);
    if (caller == nullptr) return;
    const auto ip = caller->peer.ip();
    if (!ip || !contains(options_.masters, *ip)) {
      ++refused_;
      continue;
    }
    make_room(*ip, now);
    auto channel =
        SecureChannel::answer(options_.sync_keypair.front(), options_.master_key, random_);
    auto session = std::make_unique<MirrorSession>(
        *reader_,
        [this](ReplicaBatch batch, UpdateDone done) {
          engine_.submit_batch(std::move(batch), std::move(done));
        },
        std::move(channel), random_, [wake = wake_] { wake->wake(); });
    masters_.push_back(std::make_unique<MasterLink>(std::move(*caller), std::move(session),
                                                    options_.master_timeout, now, logger_));
  }
}

void ReplicationService::Impl::make_room(const IpAddress& caller, TimePoint now) {
  std::vector<IpAddress> addresses;
  std::vector<MasterLink*> unproved;
  for (const auto& master : masters_) {
    if (!master->is_open() || master->was_proved()) continue;
    addresses.push_back(*master->ip());
    unproved.push_back(master.get());
  }
  const auto leaves = who_makes_room(addresses, caller);
  if (!leaves) return;
  unproved[*leaves]->end({ErrorCode::kLimit, "made room for another caller"});
  if (now < crowd_told_at_ + kTellEvery) return;
  crowd_told_at_ = now;
  logger_.warning(LogLine("replication_crowded")
                      .field("address", addresses[*leaves].to_string())
                      .field("unproved", unproved.size()));
}

void ReplicationService::Impl::poll_once(bool at_once) {
  std::vector<pollfd> polled{{wake_->fd(), POLLIN, 0}};
  for (const StreamListener& listener : listeners_) polled.push_back({listener.fd(), POLLIN, 0});
  for (const auto& mirror : mirrors_) polled.push_back(mirror->wanted());
  for (const auto& master : masters_) polled.push_back(master->wanted());
  TimePoint now = clock_.now();
  TimePoint due = count_at_;
  for (const auto& mirror : mirrors_) due = std::min(due, mirror->due());
  for (const auto& master : masters_) due = std::min(due, master->due());
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(due - now).count();
  const int timeout = at_once ? 0 : static_cast<int>(std::clamp<std::int64_t>(wait, 0, 1000));
  if (::poll(polled.data(), polled.size(), timeout) <= 0) return;
  now = clock_.now();
  std::size_t at = 0;
  if (polled[at++].revents != 0) wake_->clear();
  const std::size_t listeners = at;
  at += listeners_.size();
  for (const auto& mirror : mirrors_) mirror->ready(polled[at++].revents, now);
  for (const auto& master : masters_) master->ready(polled[at++].revents, now);
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    if (polled[listeners + i].revents != 0) accept(listeners_[i], now);
  }
}

void ReplicationService::Impl::let_begin() {
  // The newest connection of a master replaces the older ones. It begins after the batches that an
  // older one has with the writer. The key identifies a master: a name alone ends no connection.
  for (auto at = masters_.rbegin(); at != masters_.rend(); ++at) {
    const auto& link = *at;
    if (!link->is_open() || !link->was_proved() || link->session().has_begun()) continue;
    bool free = true;
    for (const auto& other : masters_) {
      const bool same_key = other->was_proved() && other->session().key() == link->session().key();
      if (other == link || !same_key) continue;
      if (other->is_open() && other->session().master() != link->session().master()) {
        link->end({ErrorCode::kDenied, "another master is connected under this key"});
        break;
      }
      other->end({ErrorCode::kUnavailable, "the master has connected again"});
      free &= other->is_over();
    }
    if (!free || !link->is_open()) continue;
    if (Status begun = link->session().begin(); !begun) link->end(begun.error());
  }
  std::erase_if(masters_, [this](const auto& link) {
    if (link->is_over() && !link->was_proved()) ++refused_;
    return link->is_over();
  });
}

bool ReplicationService::Impl::work(TimePoint now) {
  bool more = false;
  for (const auto& mirror : mirrors_) more |= mirror->work(now);
  let_begin();
  for (const auto& master : masters_) more |= master->work(now);
  return more;
}

void ReplicationService::Impl::run(const std::stop_token& stop) {
  bool more = true;
  while (!stop.stop_requested()) {
    poll_once(more);
    const TimePoint now = clock_.now();
    more = work(now);
    if (now >= count_at_) count(now);
  }
}

void ReplicationService::Impl::count(TimePoint now) {
  count_at_ = now + kCountEvery;
  ReplicationCounters counters;
  const auto wall = unix_seconds(clock_.wall());
  for (const auto& mirror : mirrors_) counters.mirrors.push_back(mirror->counters(wall));
  for (const auto& master : masters_) counters.masters.push_back(master->counters(now));
  counters.refused = refused_;
  if (now >= tell_at_) {
    tell_at_ = now + kTellEvery;
    for (const LinkCounters& link : counters.mirrors) tell("mirror_behind", link);
    for (const LinkCounters& link : counters.masters) tell("master_ahead", link);
  }
  *counters_.lock() = std::move(counters);
}

void ReplicationService::Impl::tell(const char* event, const LinkCounters& link) {
  if (link.following && link.lag_records == 0) return;
  logger_.info(LogLine(event)
                   .field("peer", link.peer)
                   .field("connected", link.connected)
                   .field("lag_records", link.lag_records)
                   .field("lag_seconds", link.lag_seconds));
}

Result<std::unique_ptr<ReplicationService>> ReplicationService::start(
    const ReplicationOptions& options, const std::string& hashfile, engine::Engine& engine,
    Clock& clock, Random& random, Logger& logger) {
  auto reader = sqlite::ReplicaReader::open(hashfile);
  if (!reader) return reader.error();
  auto impl = std::make_unique<Impl>(options, *std::move(reader), engine, clock, random, logger);
  if (Status opened = impl->open(); !opened) return opened.error();
  return std::unique_ptr<ReplicationService>(new ReplicationService(std::move(impl)));
}

ReplicationService::ReplicationService(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ReplicationService::~ReplicationService() = default;

const std::vector<SocketAddress>& ReplicationService::addresses() const {
  return impl_->addresses();
}
ReplicationCounters ReplicationService::counters() const { return impl_->counters(); }

}  // namespace shingled::storage::replication
