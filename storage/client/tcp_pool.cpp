#include "storage/client/tcp_pool.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <utility>

#include "config/system/byte_transfer.h"
#include "config/system/connect_socket.h"

namespace shingled::storage::client {

namespace {

/// Begins to connect; nullopt if the system refuses at once.
std::optional<TcpPool::Link> begin_link(const SocketAddress& address, TimePoint now) {
  // no_delay: each question is one small frame, which must not wait for others.
  Connecting connecting = begin_connect(address, {.no_delay = true});
  if (connecting.has_failed()) return std::nullopt;
  return TcpPool::Link{std::move(connecting.fd), connecting.is_connected(), now, false};
}

enum class LinkState : std::uint8_t { kConnecting, kReady, kDead };

/// The state of an idle connection. If there is something to read (unrequested data or the end of
/// the stream), the connection is dead.
LinkState state_of(const TcpPool::Link& link) {
  pollfd wait{link.fd.get(), POLLIN | POLLOUT, 0};
  if (poll(&wait, 1, 0) < 0) return LinkState::kDead;
  if ((wait.revents & (POLLIN | POLLERR | POLLHUP | POLLNVAL)) != 0) return LinkState::kDead;
  return (wait.revents & POLLOUT) != 0 ? LinkState::kReady : LinkState::kConnecting;
}

}  // namespace

void QuestionRate::add(std::uint64_t questions, TimePoint now) {
  constexpr std::chrono::seconds kSecond{1};
  if (now - begin_ >= kSecond) {
    previous_ = now - begin_ < 2 * kSecond ? current_ : 0;
    begin_ = now - begin_ < 2 * kSecond ? begin_ + kSecond : now;
    current_ = 0;
  }
  current_ += questions;
}

double QuestionRate::per_second(TimePoint now) const {
  const double passed = std::clamp(std::chrono::duration<double>(now - begin_).count(), 0.0, 1.0);
  return static_cast<double>(current_) + static_cast<double>(previous_) * (1 - passed);
}

TcpPool::Place* TcpPool::find(State& state, const SocketAddress& address) {
  const auto known = std::find_if(state.places.begin(), state.places.end(),
                                  [&](const Place& place) { return place.address == address; });
  return known == state.places.end() ? nullptr : &*known;
}

std::size_t TcpPool::idle(const SocketAddress& address) {
  auto state = state_.lock();
  const Place* place = find(*state, address);
  return place == nullptr ? 0 : place->idle.size();
}

void TcpPool::keep_only(const std::vector<SocketAddress>& addresses) {
  std::erase_if(state_.lock()->places, [&](const Place& place) {
    return std::find(addresses.begin(), addresses.end(), place.address) == addresses.end();
  });
}

std::optional<TcpPool::Link> TcpPool::take(const SocketAddress& address, std::uint64_t questions,
                                           TimePoint now) {
  if (use_ == TcpUse::kNo) return std::nullopt;
  auto state = state_.lock();
  state->rate.add(questions, now);
  Place* known = find(*state, address);
  if (known == nullptr) known = &state->places.emplace_back(Place{address, {}, {}});
  Place& place = *known;
  if (auto link = take_idle(place, now)) return link;
  if (now < place.retry_at) return std::nullopt;
  const bool one_is_coming = !place.idle.empty();
  if (use_ == TcpUse::kAuto) {
    if (one_is_coming || state->rate.per_second(now) < threshold_) return std::nullopt;
    if (auto link = begin_link(address, now)) {
      place.idle.push_back(*std::move(link));
    } else {
      place.retry_at = now + retry_delay_;
    }
    return std::nullopt;
  }
  if (one_is_coming) return std::nullopt;  // it is late already: do not wait for another one
  auto link = begin_link(address, now);
  if (!link) place.retry_at = now + retry_delay_;
  return link;
}

/// Takes the youngest connection that is ready, and drops the dead ones before it. Connections
/// that are still being made stay.
std::optional<TcpPool::Link> TcpPool::take_idle(Place& place, TimePoint now) const {
  std::optional<Link> found;
  for (std::size_t i = place.idle.size(); i > 0 && !found; --i) {
    const auto at = place.idle.begin() + static_cast<std::ptrdiff_t>(i - 1);
    const LinkState state = state_of(*at);
    if (state == LinkState::kConnecting && now - at->began < kConnectGiveUp) continue;
    if (state == LinkState::kReady) {
      found = std::move(*at);
      found->used_before = std::exchange(found->connected, true);
    } else if (!at->connected) {
      place.retry_at = now + retry_delay_;  // the connect failed; the end of an idle one is normal
    }
    place.idle.erase(at);
  }
  return found;
}

std::optional<TcpPool::Link> TcpPool::replace(const SocketAddress& address, TimePoint now) {
  if (use_ != TcpUse::kYes) return std::nullopt;
  auto state = state_.lock();
  Place* place = find(*state, address);
  if (place == nullptr || now < place->retry_at) return std::nullopt;
  std::erase_if(place->idle, [](const Link& link) { return link.connected; });
  auto link = begin_link(address, now);
  if (!link) place->retry_at = now + retry_delay_;
  return link;
}

void TcpPool::give_back(const SocketAddress& address, Link link) {
  auto state = state_.lock();
  Place* place = find(*state, address);
  if (place != nullptr && place->idle.size() < kIdleMax) place->idle.push_back(std::move(link));
}

void TcpPool::failed(const SocketAddress& address, TimePoint now) {
  auto state = state_.lock();
  if (Place* place = find(*state, address)) place->retry_at = now + retry_delay_;
}

short TcpChannel::events() const {
  if (broken_) return 0;
  if (!link_.connected) return POLLOUT;
  return static_cast<short>(out_.empty() ? POLLIN : POLLIN | POLLOUT);
}

void TcpChannel::send(BytesView packet) {
  if (broken_ || !protocol::append_frame(packet, out_)) return;
  ++under_way_;
  if (link_.connected) flush();
}

void TcpChannel::attend() {
  if (broken_) return;
  if (!link_.connected) {
    if (connect_failure(fd()) != 0) {
      broken_ = true;
      return;
    }
    link_.connected = true;
  }
  flush();
  read();
}

void TcpChannel::flush() {
  while (!out_.empty()) {
    const auto sent = send_some(fd(), out_);
    broken_ = !sent;
    if (!sent || *sent == 0) return;
    out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(*sent));
  }
}

/// Reads once, as poll announced. `next_packet` takes the frames before the next read.
void TcpChannel::read() {
  constexpr std::size_t kReadBytes = 4096;
  if (broken_) return;
  in_.resize(kReadBytes);
  const auto got = receive_some(fd(), in_);
  broken_ = !got || *got == 0;
  in_.resize(broken_ ? 0 : got->value_or(0));
  if (in_.empty()) return;
  heard_ = true;
  reader_.feed(in_);
}

std::optional<BytesView> TcpChannel::next_packet() {
  const auto packet = reader_.next();
  if (reader_.broken()) broken_ = true;
  return packet;
}

}  // namespace shingled::storage::client
