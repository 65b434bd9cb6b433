#include "mime/message/transfer_decoding.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "config/base/ascii.h"
#include "mime/model/escapes.h"

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
  for (std::size_t i = 0; i < values.size(); ++i) {
    const char c = static_cast<char>(i);
    values[i] = is_hex(c) ? static_cast<std::uint8_t>(hex_digit(c)) : kForeign;
  }
  return values;
}

constexpr auto kHexValues = make_hex_values();

std::uint8_t base64_value(char c) { return kBase64Values[static_cast<unsigned char>(c)]; }
std::uint8_t hex_value(char c) { return kHexValues[static_cast<unsigned char>(c)]; }

/// Decodes the escape after the "=" before `at`, and moves `at` after it. An invalid escape
/// includes the byte that makes it invalid, so "==41" contains no escape.
void append_escape(std::string_view encoded, std::size_t& at, std::string& out) {
  const std::string_view rest = encoded.substr(at);
  if (rest.empty()) return out.push_back('=');
  if (rest[0] == '\n' || rest[0] == '\r') {
    at += rest.substr(0, 2) == "\r\n" ? 2U : 1U;
  } else if (hex_value(rest[0]) == kForeign) {
    out.push_back('=');
    out.push_back(rest[0]);
    at += 1;
  } else if (rest.size() == 1) {
    at += 1;  // half an escape at the end vanishes
  } else if (hex_value(rest[1]) == kForeign) {
    out.push_back('=');
    out.append(rest, 0, 2);
    at += 2;
  } else {
    out.push_back(static_cast<char>(hex_value(rest[0]) << 4 | hex_value(rest[1])));
    at += 2;
  }
}

/// Takes the next line off the front of `text`, without its line break.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

std::uint32_t six_bits(char c) { return (static_cast<unsigned char>(c) - 0x20U) & 0x3fU; }

/// Appends the bytes of one line: a length, then four characters for every three bytes. False if
/// the line has more, or fewer than its bytes need. What only pads the last group may be missing:
/// if it is blanks, mail servers and editors cut them off.
bool append_uuencoded_line(std::string_view line, std::string& out) {
  std::size_t left = six_bits(line[0]);
  line.remove_prefix(1);
  const std::size_t needed = left / 3 * 4 + (left % 3 == 0 ? 0 : left % 3 + 1);
  if (line.size() < needed || line.size() > (left + 2) / 3 * 4) return false;
  for (; left > 0; line.remove_prefix(std::min<std::size_t>(line.size(), 4))) {
    const auto at = [line](std::size_t i) { return i < line.size() ? six_bits(line[i]) : 0U; };
    const std::uint32_t group = at(0) << 18 | at(1) << 12 | at(2) << 6 | at(3);
    const std::array<char, 3> bytes{static_cast<char>(group >> 16), static_cast<char>(group >> 8),
                                    static_cast<char>(group)};
    const std::size_t take = std::min<std::size_t>(left, 3);
    out.append(bytes.data(), take);
    left -= take;
  }
  return true;
}

// Found by testing rspamd 3.4 with bodies that differ in one byte.
constexpr std::size_t kWindowBytes = 128;
constexpr std::size_t kPaddingMax = 2;
constexpr std::size_t kEscapesMin = 3;     ///< for quoted-printable
constexpr std::size_t kLettersMin = 2;     ///< of each case, for base64 without padding
constexpr std::size_t kLongBytesMin = 80;  ///< longer bodies need not be a multiple of four

bool is_upper(char c) { return ascii::is_alpha(c) && ascii::to_lower(c) != c; }
bool is_lower(char c) { return ascii::is_alpha(c) && ascii::to_lower(c) == c; }

/// The number of escapes with at least one byte after them.
std::size_t count_escapes(std::string_view window) {
  std::size_t count = 0;
  for (std::size_t i = 0; i + 3 < window.size(); ++i) {
    if (window[i] == '=' && is_hex(window[i + 1]) && is_hex(window[i + 2])) ++count;
  }
  return count;
}

/// `body` has no trailing blanks and no padding.
bool looks_like_base64(std::string_view body, bool padded) {
  const std::string_view window = body.substr(0, kWindowBytes);
  const auto count = [&window](auto is_kind) {
    return static_cast<std::size_t>(std::count_if(window.begin(), window.end(), is_kind));
  };
  const auto is_alphabet = [](char c) { return base64_value(c) != kForeign; };
  if (body.empty() || count(is_alphabet) < window.size()) return false;
  if (padded) return true;
  const bool fits = body.size() >= kLongBytesMin || body.size() % 4 == 0;
  return fits && count(is_upper) >= kLettersMin && count(is_lower) >= kLettersMin;
}

}  // namespace

std::string decode_base64(std::string_view encoded, std::size_t bytes_max) {
  std::string out;
  constexpr std::size_t kGroupBytes = 3;
  out.resize(std::min(encoded.size() / 4 * kGroupBytes, bytes_max) + 2 * kGroupBytes);
  std::size_t size = 0;
  std::uint32_t bits = 0;
  unsigned count = 0;
  const char* p = encoded.data();
  const char* const end = p + encoded.size();
  while (p < end && size < bytes_max) {
    if (count == 0 && end - p >= 4) {  // the usual case: four valid characters
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
    const char c = *p++;
    const std::uint8_t value = base64_value(c);
    if (value == kForeign) {
      if (c == '=' && count == 2) {  // padding in its place: the group ends with the next byte
        out[size++] = static_cast<char>(bits >> 4);
        count = 0;
        if (p < end) ++p;
      }
      // In a run of invalid bytes a "=" has no meaning.
      while (p < end && base64_value(*p) == kForeign) ++p;
      continue;
    }
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
    at = escape + 1;
    append_escape(encoded, at, out);
  }
  if (out.size() > bytes_max) out.resize(bytes_max);
  return out;
}

std::optional<std::string> decode_uuencode(std::string_view encoded, std::size_t bytes_max) {
  std::string out;
  encoded.remove_prefix(std::min(encoded.find_first_not_of("\r\n"), encoded.size()));
  if (take_line(encoded).substr(0, 6) != "begin ") return std::nullopt;
  while (!encoded.empty() && out.size() < bytes_max) {
    const std::string_view line = take_line(encoded);
    if (line == "`" || line == " ") break;
    if (line.empty() || !append_uuencoded_line(line, out)) return std::nullopt;
  }
  if (out.size() > bytes_max) out.resize(bytes_max);
  return out;
}

TransferEncoding guess_encoding(std::string_view body) {
  while (!body.empty() && ascii::is_space(body.back())) body.remove_suffix(1);
  if (has_early_8bit(body)) return TransferEncoding::k8bit;
  if (count_escapes(body.substr(0, kWindowBytes)) >= kEscapesMin) {
    return TransferEncoding::kQuotedPrintable;
  }
  std::size_t padding = 0;
  while (padding < kPaddingMax && !body.empty() && body.back() == '=') {
    body.remove_suffix(1);
    ++padding;
  }
  return looks_like_base64(body, padding > 0) ? TransferEncoding::kBase64 : TransferEncoding::k7bit;
}

bool has_early_8bit(std::string_view body) {
  body = body.substr(0, kWindowBytes);
  return std::any_of(body.begin(), body.end(), ascii::is_high);
}

TransferEncoding effective_encoding(TransferEncoding declared, std::string_view body,
                                    Compat compat) {
  switch (declared) {
    case TransferEncoding::kBase64:
    case TransferEncoding::kQuotedPrintable:
      return compat == Compat::kRspamd3 && has_early_8bit(body) ? TransferEncoding::k8bit
                                                                : declared;
    case TransferEncoding::kMissing:
      return compat == Compat::kRspamd3 ? guess_encoding(body) : declared;
    default:
      return declared;
  }
}

bool is_encoded(TransferEncoding encoding) {
  return encoding == TransferEncoding::kBase64 || encoding == TransferEncoding::kQuotedPrintable ||
         encoding == TransferEncoding::kUuencode;
}

std::optional<std::string> decode_body(std::string_view encoded, TransferEncoding encoding,
                                       std::size_t bytes_max) {
  switch (encoding) {
    case TransferEncoding::kBase64:
      return decode_base64(encoded, bytes_max);
    case TransferEncoding::kQuotedPrintable:
      return decode_quoted_printable(encoded, bytes_max);
    case TransferEncoding::kUuencode:
      return decode_uuencode(encoded, bytes_max);
    default:
      return std::nullopt;
  }
}

}  // namespace shingled::mime
