#include "storage/redis/route/key_slot.h"

#include <array>
#include <vector>

namespace shingled::storage::redis {

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
