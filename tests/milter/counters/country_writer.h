#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/system/socket_address.h"

namespace shingled::testing {

/// Writes a database of networks and their countries.
/// Source: MaxMind DB File Format Specification 2.0.
class CountryWriter {
 public:
  /// An IPv4 network is that of ::/96.
  void add(const std::string& network, const std::string& country) {
    const Network parsed = *Network::parse(network);
    const bool v4 = parsed.address.family == IpAddress::Family::kV4;
    std::array<std::uint8_t, 16> bytes{};
    const std::size_t shift = v4 ? 12 : 0;
    for (std::size_t i = 0; i + shift < 16; ++i) bytes[i + shift] = parsed.address.bytes[i];
    const auto bits = static_cast<std::size_t>(parsed.prefix_bits) + (v4 ? 96 : 0);
    std::size_t node = 0;
    for (std::size_t bit = 0; bit < bits; ++bit) {
      const std::size_t side = bytes[bit / 8] >> (7 - bit % 8) & 1U;
      if (bit + 1 == bits) {
        nodes_[node][side] = {Kind::kData, data_.size()};
      } else if (nodes_[node][side].kind != Kind::kNode) {
        nodes_[node][side] = {Kind::kNode, nodes_.size()};
        nodes_.emplace_back();
      }
      if (bit + 1 < bits) node = nodes_[node][side].number;
    }
    data_ += map(1) + text("country") + map(1) + text("iso_code") + text(country);
  }

  [[nodiscard]] std::string bytes() const {
    std::string out;
    for (const auto& node : nodes_) {
      for (const Record& record : node) {
        const std::size_t value = record.kind == Kind::kNode   ? record.number
                                  : record.kind == Kind::kNone ? nodes_.size()
                                                               : nodes_.size() + 16 + record.number;
        for (const unsigned at : {16U, 8U, 0U}) out += static_cast<char>(value >> at);
      }
    }
    out += std::string(16, '\0') + data_ + "\xab\xcd\xefMaxMind.com" + map(9);
    out += text("node_count") + number(6, nodes_.size(), 4);
    out += text("record_size") + number(5, 24, 2) + text("ip_version") + number(5, 6, 2);
    out += text("database_type") + text("Country") + text("languages") + std::string{0, 4};
    out += text("binary_format_major_version") + number(5, 2, 2);
    out += text("binary_format_minor_version") + number(5, 0, 2);
    out += text("build_epoch") + number(9, 1'700'000'000, 8) + text("description") + map(0);
    return out;
  }

 private:
  static std::string text(std::string_view bytes) {
    return static_cast<char>(0x40U | bytes.size()) + std::string(bytes);
  }
  static std::string map(std::size_t entries) { return {static_cast<char>(0xE0U | entries)}; }
  static std::string number(unsigned type, std::uint64_t value, std::size_t bytes) {
    std::string out;
    if (type < 8) {
      out += static_cast<char>(type << 5U | bytes);
    } else {
      out += static_cast<char>(bytes);
      out += static_cast<char>(type - 7);
    }
    for (std::size_t i = bytes; i > 0; --i) out += static_cast<char>(value >> (8 * (i - 1)));
    return out;
  }

  enum class Kind : std::uint8_t { kNone, kNode, kData };
  struct Record {
    Kind kind = Kind::kNone;
    std::size_t number = 0;
  };
  std::vector<std::array<Record, 2>> nodes_ = std::vector<std::array<Record, 2>>(1);
  std::string data_;
};

}  // namespace shingled::testing
