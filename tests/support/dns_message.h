#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/base/byte_reader.h"

namespace shingled::testing {

/// Writes DNS messages, also invalid ones.
/// Source: RFC 1035 4.1, RFC 2782.
class DnsMessage {
 public:
  static constexpr std::uint16_t kResponse = 0x8180;  // a response; recursion desired and available
  static constexpr std::uint16_t kSrv = 33;

  DnsMessage(std::uint16_t flags, std::uint16_t questions, std::uint16_t answers,
             std::uint16_t id = 1) {
    u16(id).u16(flags).u16(questions).u16(answers).u16(0).u16(0);
  }
  DnsMessage& u8(unsigned value) {
    bytes.push_back(static_cast<std::uint8_t>(value));
    return *this;
  }
  DnsMessage& u16(unsigned value) { return u8(value >> 8 & 0xff).u8(value & 0xff); }
  /// A name like "a.b" as labels without compression; "" is the root.
  DnsMessage& name(std::string_view text) {
    while (!text.empty()) {
      const std::size_t dot = std::min(text.find('.'), text.size());
      u8(static_cast<unsigned>(dot));
      for (const char c : text.substr(0, dot)) u8(static_cast<unsigned char>(c));
      text.remove_prefix(std::min(dot + 1, text.size()));
    }
    return u8(0);
  }
  DnsMessage& pointer(std::size_t offset) { return u16(0xc000U | static_cast<unsigned>(offset)); }
  DnsMessage& question(std::string_view text, std::uint16_t type = kSrv) {
    return name(text).u16(type).u16(1);
  }
  /// The head of a record. Write its owner before.
  DnsMessage& record(std::uint16_t type, std::size_t length) {
    return u16(type).u16(1).u16(0).u16(60).u16(static_cast<unsigned>(length));
  }
  /// A complete SRV record; its owner is the name in the first question.
  DnsMessage& srv(unsigned priority, unsigned weight, unsigned port, std::string_view target) {
    pointer(12).record(kSrv, 6 + (target.empty() ? 1 : target.size() + 2));
    return u16(priority).u16(weight).u16(port).name(target);
  }

  Bytes bytes;
};

}  // namespace shingled::testing
