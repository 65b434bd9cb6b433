#include "storage/redis/route/slot_map.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

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

namespace {

using Table = std::array<std::uint16_t, 256>;

constexpr Table make_table() {
  constexpr std::uint32_t kPolynomial = 0x1021;
  Table table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t crc = byte << 8;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 0x8000U) != 0 ? crc << 1 ^ kPolynomial : crc << 1;
    }
    table[byte] = static_cast<std::uint16_t>(crc);
  }
  return table;
}

std::uint16_t crc16(std::string_view bytes) {
  static constexpr Table kTable = make_table();
  std::uint32_t crc = 0;
  for (const char byte : bytes) {
    crc = (crc << 8 & 0xffffU) ^ kTable[(crc >> 8 ^ static_cast<std::uint8_t>(byte)) & 0xffU];
  }
  return static_cast<std::uint16_t>(crc);
}

/// Tries numbers as texts until each slot has one: about 160 000 numbers, once per process.
std::vector<std::string> make_tags() {
  std::vector<std::string> tags(kClusterSlots);
  std::size_t missing = kClusterSlots;
  for (std::uint32_t number = 0; missing > 0; ++number) {
    const std::string text = std::to_string(number);
    std::string& tag = tags[crc16(text) % kClusterSlots];
    if (!tag.empty()) continue;
    tag = text;
    --missing;
  }
  return tags;
}

}  // namespace

std::uint16_t key_slot(std::string_view key) {
  const std::size_t open = key.find('{');
  if (open != std::string_view::npos) {
    const std::size_t close = key.find('}', open + 1);
    if (close != std::string_view::npos && close > open + 1) {
      key = key.substr(open + 1, close - open - 1);
    }
  }
  return crc16(key) % kClusterSlots;
}

const std::string& slot_tag(std::uint16_t slot) {
  static const std::vector<std::string> tags = make_tags();
  return tags[slot];
}

}  // namespace shingled::storage::redis
