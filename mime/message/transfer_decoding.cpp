#include "mime/message/transfer_decoding.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

namespace shingled::mime {
namespace {

constexpr std::uint8_t kForeign = 0xff;

constexpr std::array<std::uint8_t, 256> make_base64_values() {
  std::array<std::uint8_t, 256> values{};
  for (auto& value : values) value = kForeign;
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}

constexpr auto kBase64Values = make_base64_values();

constexpr std::array<std::uint8_t, 256> make_hex_values() {
  std::array<std::uint8_t, 256> values{};
  for (auto& value : values) value = kForeign;
  for (unsigned i = 0; i < 10; ++i) values['0' + i] = static_cast<std::uint8_t>(i);
  for (unsigned i = 0; i < 6; ++i) {
    values['a' + i] = static_cast<std::uint8_t>(10 + i);
    values['A' + i] = static_cast<std::uint8_t>(10 + i);
  }
  return values;
}

constexpr auto kHexValues = make_hex_values();

std::uint8_t base64_value(char c) { return kBase64Values[static_cast<unsigned char>(c)]; }
std::uint8_t hex_value(char c) { return kHexValues[static_cast<unsigned char>(c)]; }

}  // namespace

std::string decode_base64(std::string_view encoded, std::size_t bytes_max) {
  std::string out;
  out.resize(encoded.size() / 4 * 3 + 3);
  std::size_t size = 0;
  std::uint32_t bits = 0;
  unsigned count = 0;
  const char* p = encoded.data();
  const char* const end = p + encoded.size();
  while (p < end && size < bytes_max) {
    if (count == 0 && end - p >= 4) {  // the usual case: four characters of the alphabet
      const std::uint8_t a = base64_value(p[0]);
      const std::uint8_t b = base64_value(p[1]);
      const std::uint8_t c = base64_value(p[2]);
      const std::uint8_t d = base64_value(p[3]);
      if ((a | b | c | d) < 64) {
        out[size] = static_cast<char>(a << 2 | b >> 4);
        out[size + 1] = static_cast<char>(b << 4 | c >> 2);
        out[size + 2] = static_cast<char>(c << 6 | d);
        size += 3;
        p += 4;
        continue;
      }
    }
    const std::uint8_t value = base64_value(*p++);
    if (value == kForeign) continue;
    bits = bits << 6 | value;
    if (++count == 4) {
      out[size++] = static_cast<char>(bits >> 16);
      out[size++] = static_cast<char>(bits >> 8);
      out[size++] = static_cast<char>(bits);
      count = 0;
    }
  }
  if (count >= 2) out[size++] = static_cast<char>(count == 2 ? bits >> 4 : bits >> 10);
  if (count == 3) out[size++] = static_cast<char>(bits >> 2);
  out.resize(size < bytes_max ? size : bytes_max);
  return out;
}

std::string decode_quoted_printable(std::string_view encoded, std::size_t bytes_max) {
  std::string out;
  out.reserve(encoded.size() < bytes_max ? encoded.size() : bytes_max);
  std::size_t at = 0;
  while (at < encoded.size() && out.size() < bytes_max) {
    const void* found = std::memchr(encoded.data() + at, '=', encoded.size() - at);
    const std::size_t escape =
        found == nullptr
            ? encoded.size()
            : static_cast<std::size_t>(static_cast<const char*>(found) - encoded.data());
    out.append(encoded, at, escape - at);
    if (escape == encoded.size()) break;
    const std::string_view rest = encoded.substr(escape + 1);
    at = escape + 1;
    if (rest.substr(0, 2) == "\r\n") {
      at += 2;
    } else if (!rest.empty() && (rest[0] == '\n' || rest[0] == '\r')) {
      at += 1;
    } else if (rest.size() >= 2 && hex_value(rest[0]) != kForeign &&
               hex_value(rest[1]) != kForeign) {
      out.push_back(static_cast<char>(hex_value(rest[0]) << 4 | hex_value(rest[1])));
      at += 2;
    } else {
      out.push_back('=');
    }
  }
  if (out.size() > bytes_max) out.resize(bytes_max);
  return out;
}

namespace {

/// Cuts the next line off the front of `text`; the line break is dropped.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

/// Appends the bytes of one line: a length character, then groups of four.
void append_uuencoded_line(std::string_view line, std::string& out) {
  const auto six_bits = [](char c) { return (static_cast<unsigned char>(c) - 0x20U) & 0x3fU; };
  std::size_t left = six_bits(line[0]);
  line.remove_prefix(1);
  while (left > 0 && !line.empty()) {
    std::array<unsigned, 4>
        group{};  // a line whose trailing blanks were cut reads as if they were there
    for (std::size_t i = 0; i < 4 && i < line.size(); ++i) group[i] = six_bits(line[i]);
    line.remove_prefix(line.size() < 4 ? line.size() : 4);
    const std::array<char, 3> bytes{static_cast<char>(group[0] << 2 | group[1] >> 4),
                                    static_cast<char>(group[1] << 4 | group[2] >> 2),
                                    static_cast<char>(group[2] << 6 | group[3])};
    const std::size_t take = left < 3 ? left : 3;
    out.append(bytes.data(), take);
    left -= take;
  }
}

}  // namespace

std::string decode_uuencode(std::string_view encoded, std::size_t bytes_max) {
  std::string out;
  bool begun = false;
  while (!encoded.empty() && out.size() < bytes_max) {
    const std::string_view line = take_line(encoded);
    if (!begun) {
      begun = line.substr(0, 6) == "begin ";
      continue;
    }
    if (line.empty() || line == "end") break;
    append_uuencoded_line(line, out);
  }
  if (out.size() > bytes_max) out.resize(bytes_max);
  return out;
}

}  // namespace shingled::mime
