#include "storage/server/connection_table.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>

#include "config/system/byte_transfer.h"
#include "mime/fingerprint/secret_hash.h"

namespace shingled::storage::server {

namespace {

constexpr std::ptrdiff_t kCustomerBytesV6 = 8;  // a /64: one customer

IpAddress source_of(IpAddress ip) {
  if (ip.family == IpAddress::Family::kV6)
    std::fill(ip.bytes.begin() + kCustomerBytesV6, ip.bytes.end(), std::uint8_t{0});
  return ip;
}

}  // namespace

std::size_t ConnectionTable::SourceHash::operator()(const IpAddress& ip) const {
  return SecretHash::of_process()(ip.bytes);
}

void ConnectionTable::Ranking::move(std::size_t from, std::size_t to) {
  if (sources.size() <= std::max(from, to)) sources.resize(std::max(from, to) + 1);
  if (from != 0) --sources[from];
  if (to != 0) ++sources[to];
  while (!sources.empty() && sources.back() == 0) sources.pop_back();
}

std::size_t ConnectionTable::State::held_by(const IpAddress& source) const {
  const auto found = by_source.find(source);
  return found == by_source.end() ? 0 : found->second.held;
}

ConnectionTable::Admission ConnectionTable::enter(const Caller& caller, const Limits& limits) {
  auto state = state_.lock();
  const IpAddress source = source_of(caller.ip);
  const auto known = state->by_source.find(source);
  const std::size_t held = known == state->by_source.end() ? 0 : known->second.held;
  if (held >= limits.most_of_a_source) return Admission::kSourceFull;
  const std::size_t for_strangers = limits.most - std::min(limits.most, limits.reserved);
  const bool stranger = caller.trust == Trust::kStranger;
  if (state->open >= limits.most || (stranger && state->strangers >= for_strangers)) {
    return Admission::kFull;
  }
  Source& entry = known == state->by_source.end() ? state->by_source[source] : known->second;
  if (entry.held == 0) entry.trust = caller.trust;
  state->ranking(entry.trust).move(entry.held, entry.held + 1);
  ++entry.held;
  ++state->open;
  if (entry.trust == Trust::kStranger) ++state->strangers;
  return Admission::kEntered;
}

void ConnectionTable::leave(const IpAddress& ip) {
  auto state = state_.lock();
  const auto found = state->by_source.find(source_of(ip));
  if (found == state->by_source.end()) return;
  Source& entry = found->second;
  state->ranking(entry.trust).move(entry.held, entry.held - 1);
  --state->open;
  if (entry.trust == Trust::kStranger) --state->strangers;
  if (--entry.held == 0) state->by_source.erase(found);
}

bool ConnectionTable::may_displace(const Caller& caller) {
  auto state = state_.lock();
  std::size_t most = state->of_strangers.most();
  if (caller.trust == Trust::kTrusted) most = std::max(most, state->of_trusted.most());
  return most > state->held_by(source_of(caller.ip)) + 1;
}

std::optional<std::size_t> ConnectionTable::pick(const Caller& caller,
                                                 std::span<const IpAddress> connections) {
  auto state = state_.lock();
  std::size_t most = state->held_by(source_of(caller.ip)) + 1;
  std::optional<std::size_t> picked;
  for (std::size_t i = 0; i < connections.size(); ++i) {
    const auto found = state->by_source.find(source_of(connections[i]));
    if (found == state->by_source.end() || found->second.held <= most) continue;
    const bool is_safe = caller.trust == Trust::kStranger && found->second.trust == Trust::kTrusted;
    if (is_safe) continue;
    most = found->second.held;
    picked = i;
  }
  return picked;
}

std::size_t ConnectionTable::size() { return state_.lock()->open; }

bool ByteBudget::take(std::uint64_t bytes, std::uint64_t most) {
  std::uint64_t held = held_.load(std::memory_order_relaxed);
  do {
    if (held > most || bytes > most - held) return false;
  } while (!held_.compare_exchange_weak(held, held + bytes, std::memory_order_relaxed));
  return true;
}

Transfer receive(const TcpConnection& connection, std::span<std::uint8_t> into) {
  const auto count = receive_some(connection.fd.get(), into);
  if (!count) return {Transfer::State::kFailed, 0};
  if (*count == 0) return {Transfer::State::kEnd, 0};
  return {Transfer::State::kOpen, count->value_or(0)};
}

Transfer send(const TcpConnection& connection, BytesView bytes) {
  if (bytes.empty()) return {};
  const auto count = send_some(connection.fd.get(), bytes);
  if (!count) return {Transfer::State::kFailed, 0};
  return {Transfer::State::kOpen, *count};
}

bool has_arrived(const TcpConnection& connection) {
  int bytes = 0;
  return ioctl(connection.fd.get(), SIOCOUTQ, &bytes) != 0 || bytes == 0;
}

void cut_off(TcpConnection& connection) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  (void)setsockopt(connection.fd.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  connection.fd.reset();
}

}  // namespace shingled::storage::server
