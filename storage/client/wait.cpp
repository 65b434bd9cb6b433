#include "storage/client/wait.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include "config/system/connect_socket.h"
#include "config/system/os_error.h"

namespace shingled::storage::client {

namespace {
constexpr std::chrono::milliseconds kStopInterval{100};  ///< how often `stop` is checked
}  // namespace

void Wait::add(Service& service, Exchange& exchange) {
  const std::size_t endpoints = exchange.upstreams().endpoints().size();
  parties_.push_back({&service, &exchange, std::vector<Route>(endpoints)});
}

void Wait::run(TimePoint deadline, const std::stop_token& stop) {
  TimePoint now = clock_.now();
  while (true) {
    if (stop.stop_requested()) deadline = now;
    TimePoint due = stop.stop_possible() ? std::min(deadline, now + kStopInterval) : deadline;
    leave_slow_streams(now);
    bool open = false;
    for (std::size_t p = 0; p < parties_.size(); ++p) {
      Exchange& exchange = *parties_[p].exchange;
      if (now >= deadline) exchange.give_up(now);
      while (const auto packet = exchange.next_packet(now)) send(p, *packet, now);
      if (exchange.done()) continue;
      open = true;
      due = std::min(due, exchange.due());
    }
    if (!open) return put_back_streams();
    now = wait_until(std::min(due, leave_slow_streams(now)), now);
  }
}

void Wait::send(std::size_t party, const Exchange::Outgoing& outgoing, TimePoint now) {
  // A server recognises the repeat of an unencrypted update by the port of its sender. Repeats go
  // over UDP, so after TCP they would count as further updates.
  const bool may_stream = !outgoing.update || parties_[party].service->sealing.has_value();
  const bool by_stream =
      may_stream && (!outgoing.repeat || repeats_by_stream(party, outgoing, now));
  if (by_stream && send_by_stream(party, outgoing, now)) return;
  Exchange& exchange = *parties_[party].exchange;
  std::size_t& number = parties_[party].routes[outgoing.endpoint].channel;
  if (number == kNoChannel) {
    const SocketAddress& address = exchange.upstreams().endpoints()[outgoing.endpoint].address;
    // Connected, so that only packets of this server come in, and that the system reports a server
    // that is not there.
    Connecting connected = begin_connect(address, {.type = SOCK_DGRAM});
    if (!connected.is_connected()) {
      exchange.unreachable(outgoing.endpoint, os_reason(connected.failure), now);
      return;
    }
    number = channels_.size();
    channels_.push_back({party, outgoing.endpoint, std::move(connected.fd)});
  }
  const int fd = channels_[number].fd.get();
  const auto sent = ::send(fd, outgoing.packet.data(), outgoing.packet.size(), MSG_NOSIGNAL);
  // With a full buffer the packet is lost; it will be repeated.
  if (sent < 0 && errno != EAGAIN && errno != ENOBUFS && errno != EINTR)
    exchange.unreachable(outgoing.endpoint, os_reason(errno), now);
}

TimePoint Wait::wait_until(TimePoint due, TimePoint now) {
  const auto left = std::max(due - now, Duration::zero());
  timespec timeout{};
  timeout.tv_sec = std::chrono::duration_cast<std::chrono::seconds>(left).count();
  timeout.tv_nsec = std::chrono::nanoseconds(left % std::chrono::seconds(1)).count();
  polls_.clear();
  for (const Channel& channel : channels_) polls_.push_back({channel.fd.get(), POLLIN, 0});
  for (const Stream& stream : streams_)
    polls_.push_back({stream.over ? -1 : stream.channel.fd(), stream.channel.events(), 0});
  int ready = ppoll(polls_.data(), polls_.size(), &timeout, nullptr);
  const TimePoint then = clock_.now();
  // On a busy machine this thread may run only long after the end of its wait.
  if (ready == 0) ready = poll(polls_.data(), polls_.size(), 0);
  if (ready <= 0) return then;
  for (std::size_t i = 0; i < polls_.size(); ++i) {
    if (polls_[i].revents == 0) continue;
    if (i < channels_.size()) {
      receive(channels_[i], then);
    } else {
      attend(streams_[i - channels_.size()], then);
    }
  }
  return then;
}

void Wait::receive(const Channel& channel, TimePoint now) {
  Exchange& exchange = *parties_[channel.party].exchange;
  std::array<std::uint8_t, protocol::kCommandBytesMax> packet{};
  while (true) {
    const auto got = recv(channel.fd.get(), packet.data(), packet.size(), 0);
    if (got >= 0) {
      exchange.receive(channel.endpoint, BytesView(packet).first(static_cast<std::size_t>(got)),
                       now);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) exchange.unreachable(channel.endpoint, os_reason(errno), now);
    return;
  }
}

const SocketAddress& Wait::address_of(const Stream& stream) const {
  return parties_[stream.party].exchange->upstreams().endpoints()[stream.endpoint].address;
}

void Wait::open_stream(std::size_t party, std::size_t endpoint, TcpPool::Link link) {
  const std::size_t reply_bytes_max =
      protocol::kReplyBytesMax + (parties_[party].service->sealing ? crypto::kSealBytes : 0);
  parties_[party].routes[endpoint].stream = streams_.size();
  streams_.push_back({party, endpoint, TcpChannel(std::move(link), reply_bytes_max)});
}

bool Wait::repeats_by_stream(std::size_t party, const Exchange::Outgoing& outgoing, TimePoint now) {
  Route& route = parties_[party].routes[outgoing.endpoint];
  if (route.stream == kNoChannel) return false;
  Stream& stream = streams_[route.stream];
  const bool silent = !stream.over && stream.channel.owes() && !stream.channel.heard();
  if (silent) renew(stream, now);
  if (route.again == 0) return false;
  --route.again;
  return true;
}

bool Wait::send_by_stream(std::size_t party, const Exchange::Outgoing& outgoing, TimePoint now) {
  Service& service = *parties_[party].service;
  Exchange& exchange = *parties_[party].exchange;
  Route& route = parties_[party].routes[outgoing.endpoint];
  if (!route.asked_pool) {
    route.asked_pool = true;
    const SocketAddress& address = exchange.upstreams().endpoints()[outgoing.endpoint].address;
    if (auto link = service.tcp.take(address, exchange.questions(), now)) {
      open_stream(party, outgoing.endpoint, *std::move(link));
    }
  }
  if (route.stream == kNoChannel) return false;
  Stream& stream = streams_[route.stream];
  if (stream.over) return false;
  stream.channel.send(outgoing.packet);
  if (stream.channel.broken()) {
    lose(stream, now);
  } else {
    exchange.streamed(now);
  }
  return true;
}

/// Gives connections that take too long to the pool, for later exchanges; their questions go over
/// UDP. Returns when to look again.
TimePoint Wait::leave_slow_streams(TimePoint now) {
  TimePoint due = TimePoint::max();
  for (Stream& stream : streams_) {
    if (stream.over || stream.channel.connected()) continue;
    const TimePoint end = stream.channel.began() + TcpPool::kConnectMax;
    if (now < end) {
      due = std::min(due, end);
      continue;
    }
    stream.over = true;
    parties_[stream.party].service->tcp.give_back(address_of(stream), stream.channel.release());
    parties_[stream.party].exchange->resend(stream.endpoint, now);
  }
  return due;
}

void Wait::attend(Stream& stream, TimePoint now) {
  stream.channel.attend();
  while (const auto packet = stream.channel.next_packet()) {
    if (parties_[stream.party].exchange->receive(stream.endpoint, *packet, now,
                                                 Exchange::Protocol::kTcp))
      stream.channel.settle();
  }
  if (stream.channel.broken()) lose(stream, now);
}

void Wait::lose(Stream& stream, TimePoint now) {
  stream.over = true;
  Party& party = parties_[stream.party];
  const std::size_t endpoint = stream.endpoint;
  if (stream.channel.owes() && !renew(stream, now)) {
    party.service->tcp.failed(address_of(stream), now);
  }
  party.exchange->resend(endpoint, now);
}

bool Wait::renew(Stream& stale, TimePoint now) {
  if (!stale.channel.used_before()) return false;
  auto link = parties_[stale.party].service->tcp.replace(address_of(stale), now);
  if (!link) return false;
  stale.over = true;
  parties_[stale.party].routes[stale.endpoint].again = stale.channel.owed();
  open_stream(stale.party, stale.endpoint, *std::move(link));
  return true;
}

void Wait::put_back_streams() {
  for (Stream& stream : streams_) {
    if (stream.over) continue;
    TcpPool& pool = parties_[stream.party].service->tcp;
    if (stream.channel.at_rest() || stream.channel.untouched()) {
      pool.give_back(address_of(stream), stream.channel.release());
    } else {
      pool.failed(address_of(stream), clock_.now());
    }
  }
}

}  // namespace shingled::storage::client
