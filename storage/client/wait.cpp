#include "storage/client/wait.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace shingled::storage {

void Wait::add(Service& service, Exchange& exchange) {
  const std::size_t endpoints = exchange.upstreams().endpoints().size();
  parties_.push_back({&service, &exchange, std::vector<std::size_t>(endpoints, kNoChannel)});
}

void Wait::run(TimePoint deadline) {
  while (true) {
    const TimePoint now = clock_.now();
    TimePoint due = deadline;
    bool open = false;
    for (std::size_t p = 0; p < parties_.size(); ++p) {
      Exchange& exchange = *parties_[p].exchange;
      if (now >= deadline) exchange.give_up(now);
      while (const auto packet = exchange.next_packet(now)) send(p, *packet, now);
      if (exchange.done()) continue;
      open = true;
      due = std::min(due, exchange.due());
    }
    if (!open) return;
    wait_until(due, now);
  }
}

void Wait::send(std::size_t party, const Exchange::Outgoing& outgoing, TimePoint now) {
  Exchange& exchange = *parties_[party].exchange;
  std::size_t& number = parties_[party].channel_of[outgoing.endpoint];
  if (number == kNoChannel) {
    const SocketAddress& address = exchange.upstreams().endpoints()[outgoing.endpoint].address;
    UniqueFd fd(socket(address.family(), SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    // Connected: only this server's packets come in, and the system tells us when nobody is there.
    if (!fd || connect(fd.get(), address.get(), address.length()) != 0) {
      exchange.unreachable(outgoing.endpoint, std::strerror(errno), now);
      return;
    }
    number = channels_.size();
    polls_.push_back({fd.get(), POLLIN, 0});
    channels_.push_back({party, outgoing.endpoint, std::move(fd)});
  }
  const int fd = channels_[number].fd.get();
  const auto sent = ::send(fd, outgoing.packet.data(), outgoing.packet.size(), MSG_NOSIGNAL);
  // A full buffer is a lost packet: it will be repeated.
  if (sent < 0 && errno != EAGAIN && errno != ENOBUFS && errno != EINTR)
    exchange.unreachable(outgoing.endpoint, std::strerror(errno), now);
}

void Wait::wait_until(TimePoint due, TimePoint now) {
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

void Wait::receive(const Channel& channel, TimePoint now) {
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

}  // namespace shingled::storage
