#include "storage/server/tcp_worker.h"

#include <sys/epoll.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "storage/server/server_counters.h"

namespace shingled::storage::server {

namespace {

constexpr int kEventsMax = 64;
// Connections accepted from one listener in a row, before requests are handled again.
constexpr int kAcceptsInARow = 64;
constexpr Duration kListenPause = std::chrono::milliseconds(100);
// There is no event for the arrival of the last reply, so the worker polls. Mostly the reply has
// arrived at the first check.
constexpr Duration kLeavingPoll = std::chrono::milliseconds(20);

std::uint64_t stream_of(const FinishedUpdate& update) {
  return std::get<StreamRoute>(update.waiting.route).stream;
}

}  // namespace

TcpWorker::TcpWorker(std::size_t number, const WorkerShared& shared, TcpShared& tcp,
                     std::vector<StreamListener> listeners)
    : handler_(number, shared, counters_),
      number_(number),
      shared_(shared),
      tcp_(tcp),
      listeners_(std::move(listeners)),
      listener_count_(listeners_.size()),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      next_name_(listener_count_) {
  watch_listeners();
  watch_input(epoll_.get(), shared_.pending.mailbox(number_).fd(), kMailboxEvent);
}

void TcpWorker::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) wait(until_next_close_ms());
  drain();
}

void TcpWorker::wait(int timeout_ms) {
  std::array<epoll_event, kEventsMax> events{};
  const int count = epoll_wait(epoll_.get(), events.data(), kEventsMax, timeout_ms);
  look_for_new_access();
  const TimePoint now = shared_.clock.now();
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    if (event.data.u64 == kMailboxEvent) {
      answer_finished();
    } else if (event.data.u64 < listener_count_) {
      within_memory(counters_, shared_.losses, now, [&] { accept_from(event.data.u64, now); });
    } else if (!within_memory(counters_, shared_.losses, now,
                              [&] { serve(event.data.u64, event.events, now); })) {
      close_named(event.data.u64);
    }
  }
  close_quiet(now);
  close_arrived(now);
  if (listen_again_ && now >= *listen_again_) watch_listeners();
}

void TcpWorker::look_for_new_access() {
  const std::uint64_t version = shared_.access.version();
  if (version == access_version_) return;
  auto snapshot = shared_.access.get();
  access_ = snapshot.access;
  handler_.use(std::move(snapshot.access), snapshot.key_cache_size);
  limits_ = snapshot.streams;
  access_version_ = version;
}

/// The timeout for epoll: the time until the next step that no event announces. -1 = none.
int TcpWorker::until_next_close_ms() const {
  TimePoint due = TimePoint::max();
  if (listen_again_) due = *listen_again_;
  if (!connections_.empty()) due = std::min(due, connections_.front().active + limits_.timeout);
  const TimePoint now = shared_.clock.now();
  if (!leaving_.empty()) due = std::min(due, now + kLeavingPoll);
  if (due == TimePoint::max()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - now);
  return static_cast<int>(
      std::clamp<std::chrono::milliseconds::rep>(left.count(), 0, std::numeric_limits<int>::max()));
}

void TcpWorker::drain() {
  listeners_.clear();  // the kernel refuses new connections from now on
  listen_again_.reset();
  const TimePoint begun = shared_.clock.now();
  for (Place place = connections_.begin(); place != connections_.end();) {
    const Place current = place++;
    current->ended = true;
    settle(current);
  }
  while (!shared_.pending.idle() && shared_.clock.now() < begun + kDrainMax) wait(kDrainPollMs);
  answer_finished();
  const TimePoint flushing = shared_.clock.now();
  while (!(connections_.empty() && leaving_.empty()) &&
         shared_.clock.now() < flushing + kFlushMax) {
    wait(kDrainPollMs);
  }
  while (!connections_.empty()) close(connections_.begin());
  while (!leaving_.empty()) close(leaving_.begin());
}

// ---- New connections ------------------------------------------------------------------------

void TcpWorker::accept_from(std::size_t listener, TimePoint now) {
  for (int i = 0; i < kAcceptsInARow && listener < listeners_.size(); ++i) {
    auto next = listeners_[listener].accept();
    if (auto* accepted = std::get_if<StreamListener::Accepted>(&next)) {
      add_connection(std::move(*accepted), now);
      continue;
    }
    const auto none = std::get<StreamListener::None>(next);
    if (none == StreamListener::None::kNoResources) pause_listeners(now);
    if (none != StreamListener::None::kGone) return;
  }
}

void TcpWorker::add_connection(StreamListener::Accepted accepted, TimePoint now) {
  const auto ip = accepted.peer.ip();
  if (!ip) return;
  const Peer peer{*ip, accepted.peer.port(), Transport::kStream};
  if (!handler_.admits(peer, now)) return;
  Connections entering(
      1);  // first, because there may be no memory for it; then it must not be counted
  if (!find_room(*ip, now)) {
    counters_.tcp_refused.add(1);
    return;
  }
  counters_.tcp_connections.add(1);
  const std::uint64_t name = next_name_++;
  const Place place = entering.begin();
  connections_.splice(connections_.end(), entering);
  place->fd = std::move(accepted.fd);
  place->stream.name = name;
  place->stream.peer = peer;
  place->active = now;
  place->events = EPOLLIN;
  by_name_.emplace(name, place);
  watch_input(epoll_.get(), place->fd.get(), name);
}

bool TcpWorker::find_room(const IpAddress& ip, TimePoint now) {
  const ConnectionTable::Limits limits{limits_.connections_max, limits_.source_connections_max,
                                       limits_.reserved_connections};
  const ConnectionTable::Caller caller{ip, access_->is_trusted(ip)
                                               ? ConnectionTable::Trust::kTrusted
                                               : ConnectionTable::Trust::kStranger};
  auto verdict = tcp_.connections.enter(caller, limits);
  if (verdict != ConnectionTable::Admission::kFull) {
    return verdict == ConnectionTable::Admission::kEntered;
  }
  const auto place = who_gives_way(caller, now);
  if (!place) return false;
  counters_.tcp_displaced.add(1);
  close(*place);
  verdict = tcp_.connections.enter(caller, limits);
  return verdict == ConnectionTable::Admission::kEntered;
}

std::optional<TcpWorker::Place> TcpWorker::who_gives_way(const ConnectionTable::Caller& caller,
                                                         TimePoint now) {
  if (tcp_.connections.may_displace(caller)) {
    std::vector<IpAddress> addresses;
    std::vector<Place> places;
    for (Place place = connections_.begin(); place != connections_.end(); ++place) {
      if (place->stream.updates != 0) continue;
      addresses.push_back(place->stream.peer.ip);
      places.push_back(place);
    }
    if (const auto picked = tcp_.connections.pick(caller, addresses)) return places[*picked];
  }
  const bool stranger = caller.trust == ConnectionTable::Trust::kStranger;
  for (Place quiet = connections_.begin(); quiet != connections_.end(); ++quiet) {
    if (quiet->active + kQuietMin > now) break;  // all connections after it were active later
    const bool is_safe = stranger && access_->is_trusted(quiet->stream.peer.ip);
    if (quiet->stream.updates == 0 && !is_safe) return quiet;
  }
  return std::nullopt;
}

void TcpWorker::watch_listeners() {
  listen_again_.reset();
  for (std::size_t i = 0; i < listeners_.size(); ++i)
    watch_input(epoll_.get(), listeners_[i].fd(), i);
}

/// Called when there are no descriptors left. Otherwise epoll would report the same waiting
/// connection again and again.
void TcpWorker::pause_listeners(TimePoint now) {
  for (const StreamListener& listener : listeners_)
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, listener.fd(), nullptr);
  listen_again_ = now + kListenPause;
}

// ---- Open connections -----------------------------------------------------------------------

void TcpWorker::serve(std::uint64_t name, std::uint32_t events, TimePoint now) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return;  // closed by an event before this one
  const Place place = found->second;
  const bool failed = (events & (EPOLLERR | EPOLLHUP)) != 0 ||
                      ((events & EPOLLOUT) != 0 && !flush(*place)) ||
                      ((events & EPOLLIN) != 0 && !read(place, now));
  if (failed) {
    close(place);
  } else if (!place->leaving) {
    settle(place);
  }
}

/// Returns false if the connection is to be closed.
bool TcpWorker::read(Place place, TimePoint now) {
  const Transfer got = receive(*place, read_);
  if (got.state == Transfer::State::kFailed) return false;
  if (got.state == Transfer::State::kEnd) place->ended = true;
  if (got.bytes == 0) return true;
  replies_.clear();
  const auto taken = handler_.take(place->stream, BytesView(read_).first(got.bytes), now, replies_);
  if (taken.requests != 0) mark_active(place, now);
  if (taken.end == StreamHandler::End::kBlocked) return false;
  if (taken.end == StreamHandler::End::kBadFrame) {
    counters_.tcp_bad_frames.add(1);
    place->ended = true;
  }
  return push(*place, replies_);
}

/// Sends the replies and keeps what the kernel does not accept. Returns false if the connection is
/// to be closed.
bool TcpWorker::push(TcpConnection& connection, BytesView replies) {
  if (!connection.unsent.empty()) return keep(connection, replies);
  const Transfer sent = send(connection, replies);
  return sent.state == Transfer::State::kOpen && keep(connection, replies.subspan(sent.bytes));
}

bool TcpWorker::flush(TcpConnection& connection) {
  const Transfer sent = send(connection, connection.unsent.view());
  tcp_.unsent.give_back(sent.bytes);
  connection.unsent.drop(sent.bytes);
  return sent.state == Transfer::State::kOpen;
}

bool TcpWorker::keep(TcpConnection& connection, BytesView replies) {
  if (replies.empty()) return true;
  if (!tcp_.unsent.take(replies.size(), limits_.unsent_bytes_max)) {
    counters_.tcp_slow.add(1);
    return false;
  }
  const bool kept = within_memory(counters_, shared_.losses, shared_.clock.now(),
                                  [&] { connection.unsent.add(replies); });
  if (!kept) tcp_.unsent.give_back(replies.size());
  return kept;
}

/// Ends a connection that is done; otherwise tells epoll which events to wait for.
void TcpWorker::settle(Place place) {
  TcpConnection& connection = *place;
  if (connection.ended && connection.is_served()) return let_go(place);
  const bool reads =
      !connection.ended && connection.unsent.empty() && connection.stream.updates < kUpdatesMax;
  std::uint32_t events = 0;
  if (reads) events |= EPOLLIN;
  if (!connection.unsent.empty()) events |= EPOLLOUT;
  wait_for(connection, events);
}

void TcpWorker::wait_for(TcpConnection& connection, std::uint32_t events) {
  if (events == connection.events) return;
  connection.events = events;
  epoll_event event{};
  event.events = events;
  event.data.u64 = connection.stream.name;
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, connection.fd.get(), &event);
}

void TcpWorker::answer_finished() {
  const TimePoint now = shared_.clock.now();
  const std::vector<FinishedUpdate> finished = shared_.pending.mailbox(number_).take();
  for (std::span<const FinishedUpdate> rest = finished; !rest.empty();) {
    const std::uint64_t name = stream_of(rest.front());
    const auto end = std::ranges::find_if(
        rest, [&](const FinishedUpdate& update) { return stream_of(update) != name; });
    const auto run = rest.first(static_cast<std::size_t>(end - rest.begin()));
    if (!within_memory(counters_, shared_.losses, now, [&] { answer_run(run, now); }))
      close_named(name);
    rest = rest.subspan(run.size());
  }
}

/// Answers finished updates of one connection.
void TcpWorker::answer_run(std::span<const FinishedUpdate> finished, TimePoint now) {
  const auto found = by_name_.find(stream_of(finished.front()));
  if (found == by_name_.end())
    return;  // the connection has ended; the update is stored in any case
  const Place place = found->second;
  replies_.clear();
  for (const FinishedUpdate& update : finished) handler_.finish(place->stream, update, replies_);
  mark_active(place, now);
  if (push(*place, replies_)) {
    settle(place);
  } else {
    close(place);
  }
}

/// Closes a connection as soon as its last reply has arrived.
void TcpWorker::let_go(Place place) {
  (void)receive(*place, read_);  // a close with unread bytes would reset the connection
  if (has_arrived(*place)) return close(place);
  place->leaving = true;
  wait_for(*place, 0);
  leaving_.splice(leaving_.end(), connections_, place);
}

void TcpWorker::close_arrived(TimePoint now) {
  for (Place next = leaving_.begin(); next != leaving_.end();) {
    const Place place = next++;
    const bool arrived = has_arrived(*place);
    if (!arrived && place->active + limits_.timeout > now) continue;
    if (!arrived) counters_.tcp_slow.add(1);
    close(place);
  }
}

void TcpWorker::close_quiet(TimePoint now) {
  while (!connections_.empty() && connections_.front().active + limits_.timeout <= now) {
    const Place place = connections_.begin();
    if (place->stream.updates != 0 && place->unsent.empty()) {  // the client waits for our answer
      mark_active(place, now);
      continue;
    }
    const bool fetched = place->unsent.empty() && has_arrived(*place);
    (fetched ? counters_.tcp_timeouts : counters_.tcp_slow).add(1);
    close(place);
  }
}

void TcpWorker::mark_active(Place place, TimePoint now) {
  place->active = now;
  connections_.splice(connections_.end(), connections_, place);
}

void TcpWorker::close_named(std::uint64_t name) {
  if (const auto found = by_name_.find(name); found != by_name_.end()) close(found->second);
}

void TcpWorker::close(Place place) {
  tcp_.unsent.give_back(place->unsent.size());
  tcp_.connections.leave(place->stream.peer.ip);  // who is not counted any more holds nothing
  if (!has_arrived(*place)) cut_off(*place);
  by_name_.erase(place->stream.name);
  (place->leaving ? leaving_ : connections_).erase(place);
}

}  // namespace shingled::storage::server
