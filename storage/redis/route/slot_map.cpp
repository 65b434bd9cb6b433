#include "storage/redis/route/slot_map.h"

#include <algorithm>
#include <limits>

#include "config/base/number_text.h"

namespace shingled::storage::redis {

namespace {

SocketSpec place(std::string_view host, std::uint16_t port, const SocketSpec& asked) {
  SocketSpec where = asked;
  where.port = port;
  if (host.empty() || host == "?") return where;
  where.kind =
      host.find(':') == std::string_view::npos ? SocketSpec::Kind::kInet : SocketSpec::Kind::kInet6;
  where.host = host;
  where.path.clear();
  return where;
}

bool is_number(const RedisReply& reply, std::int64_t most) {
  return reply.kind == RedisReply::Kind::kInteger && reply.integer >= 0 && reply.integer <= most;
}

/// The number of the node in the map; adds it if it is new. Returns nullopt if the map is full.
std::optional<std::uint16_t> number_in(SlotMap& map, const SocketSpec& node) {
  const auto found = std::find(map.nodes.begin(), map.nodes.end(), node);
  if (found == map.nodes.end()) {
    if (map.nodes.size() >= kClusterNodesMax) return std::nullopt;
    map.nodes.push_back(node);
    return static_cast<std::uint16_t>(map.nodes.size() - 1);
  }
  return static_cast<std::uint16_t>(found - map.nodes.begin());
}

}  // namespace

std::optional<SlotMap> parse_slot_map(const RedisReply& reply, const SocketSpec& asked) {
  if (reply.kind != RedisReply::Kind::kArray) return std::nullopt;
  SlotMap map;
  map.node_of.fill(SlotMap::kNobody);
  constexpr std::int64_t kLastSlot = kClusterSlots - 1;
  for (const RedisReply& range : reply.elements) {  // first, last, [host, port, ...], replicas
    const auto& parts = range.elements;
    if (parts.size() < 3 || !is_number(parts[0], kLastSlot) || !is_number(parts[1], kLastSlot)) {
      continue;
    }
    const auto& master = parts[2].elements;
    if (master.size() < 2 || !is_number(master[1], std::numeric_limits<std::uint16_t>::max())) {
      continue;
    }
    const auto port = static_cast<std::uint16_t>(master[1].integer);
    const auto node = number_in(map, place(master[0].text, port, asked));
    if (!node) continue;
    for (std::int64_t slot = parts[0].integer; slot <= parts[1].integer; ++slot) {
      map.node_of[static_cast<std::size_t>(slot)] = *node;
    }
  }
  if (map.nodes.empty()) return std::nullopt;
  return map;
}

std::optional<Redirect> parse_redirect(const RedisReply& reply, const SocketSpec& asked) {
  const bool this_once = reply.is_error("ASK");
  if (!this_once && !reply.is_error("MOVED")) return std::nullopt;
  std::string_view rest = reply.text;
  rest.remove_prefix(std::min(rest.find(' ') + 1, rest.size()));
  const std::size_t blank = rest.find(' ');
  const std::size_t colon = rest.rfind(':');
  if (blank == std::string_view::npos || colon == std::string_view::npos || colon < blank) {
    return std::nullopt;
  }
  const auto slot = parse_whole<std::uint16_t>(rest.substr(0, blank));
  const auto port = parse_whole<std::uint16_t>(rest.substr(colon + 1));
  if (!slot || *slot >= kClusterSlots || !port) return std::nullopt;
  return Redirect{this_once, *slot, place(rest.substr(blank + 1, colon - blank - 1), *port, asked)};
}

}  // namespace shingled::storage::redis
