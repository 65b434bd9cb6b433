#include "storage/server/connection_table.h"

#include <algorithm>
#include <functional>
#include <string_view>

namespace shingled::storage {

namespace {

constexpr std::ptrdiff_t kCustomerBytesV6 = 8;  // a /64

IpAddress source_of(IpAddress ip) {
  if (ip.family == IpAddress::Family::kV6)
    std::fill(ip.bytes.begin() + kCustomerBytesV6, ip.bytes.end(), std::uint8_t{0});
  return ip;
}

}  // namespace

// A stranger who owns many networks may make these collide; the chain he walks is no longer than
// the number of connections he may open.
std::size_t ConnectionTable::SourceHash::operator()(const IpAddress& ip) const {
  return std::hash<std::string_view>{}(
      {reinterpret_cast<const char*>(ip.bytes.data()), ip.bytes.size()});
}

ConnectionTable::Verdict ConnectionTable::enter(const IpAddress& ip, const Limits& limits) {
  auto state = state_.lock();
  if (state->open >= limits.most) return Verdict::kFull;
  std::size_t& of_source = state->by_source[source_of(ip)];
  if (of_source >= limits.most_of_a_source) return Verdict::kSourceFull;
  ++of_source;
  ++state->open;
  return Verdict::kEntered;
}

void ConnectionTable::leave(const IpAddress& ip) {
  auto state = state_.lock();
  const auto found = state->by_source.find(source_of(ip));
  if (found == state->by_source.end()) return;
  if (--found->second == 0) state->by_source.erase(found);
  --state->open;
}

std::size_t ConnectionTable::size() { return state_.lock()->open; }

bool ByteBudget::take(std::uint64_t bytes, std::uint64_t most) {
  std::uint64_t held = held_.load(std::memory_order_relaxed);
  do {
    if (held > most || bytes > most - held) return false;
  } while (!held_.compare_exchange_weak(held, held + bytes, std::memory_order_relaxed));
  return true;
}

}  // namespace shingled::storage
