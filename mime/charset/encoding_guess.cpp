#include "mime/charset/encoding_guess.h"

#include <algorithm>
#include <cstddef>

namespace shingled::mime {
namespace {

// Found by asking rspamd 3.4 about bodies that differ in one byte.
constexpr std::size_t kWindowBytes = 128;
constexpr std::size_t kPaddingMax = 2;
constexpr std::size_t kEscapesMin = 3;     ///< for quoted-printable
constexpr std::size_t kLettersMin = 2;     ///< of each case, for base64 without padding
constexpr std::size_t kLongBytesMin = 80;  ///< from here its length need not be a multiple of four

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f'); }
bool is_8bit(char c) { return static_cast<unsigned char>(c) >= 0x80; }

/// Escapes with at least one byte behind them.
std::size_t count_escapes(std::string_view window) {
  std::size_t count = 0;
  for (std::size_t i = 0; i + 3 < window.size(); ++i) {
    if (window[i] == '=' && is_hex(window[i + 1]) && is_hex(window[i + 2])) ++count;
  }
  return count;
}

/// `body` is without trailing blanks and padding.
bool looks_like_base64(std::string_view body, bool padded) {
  const std::string_view window = body.substr(0, kWindowBytes);
  const auto count = [&window](auto is_kind) {
    return static_cast<std::size_t>(std::count_if(window.begin(), window.end(), is_kind));
  };
  const auto is_alphabet = [](char c) {
    return is_upper(c) || is_lower(c) || is_digit(c) || c == '+' || c == '/';
  };
  if (body.empty() || count(is_alphabet) < window.size()) return false;
  if (padded) return true;
  const bool fits = body.size() >= kLongBytesMin || body.size() % 4 == 0;
  return fits && count(is_upper) >= kLettersMin && count(is_lower) >= kLettersMin;
}

}  // namespace

TransferEncoding guess_encoding(std::string_view body) {
  while (!body.empty() && (body.back() == ' ' || (body.back() >= '\t' && body.back() <= '\r'))) {
    body.remove_suffix(1);
  }
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
  return std::any_of(body.begin(), body.end(), is_8bit);
}

}  // namespace shingled::mime
