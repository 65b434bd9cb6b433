#include "mime/url/web_url.h"

#include <arpa/inet.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <charconv>
#include <cstdint>
#include <string>

#include "config/base/ascii.h"
#include "mime/model/escapes.h"
#include "mime/url/host_name.h"

namespace shingled::mime {

namespace {

using namespace ascii;

constexpr std::size_t kSchemeBytesMax = 16;
constexpr std::size_t kUserBytesMax = 64;
constexpr std::size_t kPasswordBytesMax = 253;
constexpr std::size_t kHostBytesMax = 253;
constexpr std::uint32_t kPortMax = 65535;

constexpr CharSet kClosing(")}]>'");
constexpr CharSet kOpening("({[<'");
constexpr CharSet kAfterHost("/\\?#:");

bool is_slash(char c) { return c == '/' || c == '\\'; }

/// Size of `scheme:` with its slashes; 0 without one, or with a single slash.
std::size_t scheme_bytes(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && at < kSchemeBytesMax &&
         (is_alnum(text[at]) || text[at] == '+' || text[at] == '-')) {
    ++at;
  }
  if (at == 0 || at >= text.size() || text[at] != ':') return 0;
  const std::size_t first_slash = ++at;
  while (at < text.size() && is_slash(text[at])) ++at;
  return at - first_slash == 1 ? 0 : at;
}

/// Size of `user:password@`; 0 without one, nullopt if it is too long.
std::optional<std::size_t> userinfo_bytes(std::string_view text) {
  const std::string_view window = text.substr(0, kUserBytesMax + 1 + kPasswordBytesMax + 1);
  if (window.find('@') == std::string_view::npos) return 0;
  std::size_t colon = std::string_view::npos;
  for (std::size_t at = 0; at < window.size(); ++at) {
    const char c = window[at];
    if (c == '@') {
      const std::size_t user = std::min(colon, at);
      if (user > kUserBytesMax) return std::nullopt;
      return at + 1;
    }
    if (c == '/' || c == '#' || c == '?' || !is_graph(c)) return 0;
    if (c == ':' && colon == std::string_view::npos) colon = at;
  }
  return 0;
}

bool may_start_host(char c) { return is_alnum(c) || c == '%' || c == '_' || is_high(c); }

bool is_zero_width(UChar32 c) { return c == 0xAD || (c >= 0x200B && c <= 0x200D) || c == 0xFEFF; }

/// Size of the host at the front of `text`.
std::size_t host_bytes(std::string_view text) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const auto size = static_cast<std::int32_t>(std::min(text.size(), kHostBytesMax + 1));
  std::int32_t at = 0;
  while (at < size) {
    const char c = text[static_cast<std::size_t>(at)];
    if (!is_high(c)) {
      if (!is_alnum(c) && c != '.' && c != '-' && c != '_' && c != '%') break;
      ++at;
      continue;
    }
    std::int32_t next = at;
    UChar32 code = 0;
    U8_NEXT(bytes, next, size, code);
    if (code < 0) break;
    if (u_isalnum(code) == 0 && u_isgraph(code) == 0 && !is_zero_width(code)) break;
    at = next;
  }
  return static_cast<std::size_t>(at);
}

/// Size of `:port`; nullopt without a valid port number.
std::optional<std::size_t> port_bytes(std::string_view text) {
  std::uint32_t port = 0;
  const char* begin = text.data() + 1;
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), port);
  const auto digits = static_cast<std::size_t>(end - begin);
  const std::string_view rest = text.substr(1 + digits);
  const bool ended = rest.empty() || is_space(rest.front()) || kClosing.has(rest.front()) ||
                     kAfterHost.has(rest.front());
  if (!ended || digits == 0) return std::nullopt;
  if (error != std::errc{} || port == 0 || port > kPortMax) return std::nullopt;
  return 1 + digits;
}

/// One number of an IPv4 address: decimal, 0octal or 0xhex.
std::optional<std::uint64_t> address_number(std::string_view text) {
  int base = 10;
  if (starts_with_ignoring_case(text, "0x")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text.front() == '0') {
    base = 8;
    text.remove_prefix(1);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// 1 to 4 numbers; the last one fills the bytes that are left.
bool is_ipv4(std::string_view host) {
  constexpr int kBytes = 4;
  for (int parts = 1; parts <= kBytes; ++parts) {
    const std::size_t dot = host.find('.');
    const auto number = address_number(host.substr(0, dot));
    if (!number) return false;
    const bool last = dot == std::string_view::npos || dot + 1 == host.size();
    if (last) return *number < std::uint64_t{1} << (8 * (kBytes + 1 - parts));
    if (*number > 0xFF) return false;
    host.remove_prefix(dot + 1);
  }
  return false;
}

bool is_ipv6(std::string_view host) {
  in6_addr address{};
  return inet_pton(AF_INET6, std::string(host).c_str(), &address) == 1;
}

}  // namespace

bool ends_url(char c) { return kClosing.has(c); }
bool opens_url(char c) { return kOpening.has(c); }

std::optional<WebUrl> read_web_url(std::string_view text, UrlStart start) {
  WebUrl url;
  std::size_t at = 0;
  if (start == UrlStart::kScheme) {
    at = scheme_bytes(text);
    if (at == 0) return std::nullopt;
    url.scheme = text.substr(0, text.find(':'));
  }
  const auto userinfo = userinfo_bytes(text.substr(at));
  if (!userinfo) return std::nullopt;
  url.has_user = *userinfo > 0;
  at += *userinfo;
  if (at >= text.size()) return std::nullopt;

  if (text[at] == '[') {
    const std::size_t close = text.substr(0, at + kHostBytesMax + 1).find(']', at);
    if (close == std::string_view::npos) return std::nullopt;
    url.host = text.substr(at + 1, close - at - 1);
    url.bracketed_host = true;
    at = close + 1;
  } else {
    if (!may_start_host(text[at])) return std::nullopt;
    const std::size_t bytes = host_bytes(text.substr(at));
    if (bytes == 0 || bytes > kHostBytesMax) return std::nullopt;
    url.host = text.substr(at, bytes);
    at += bytes;
  }
  if (at < text.size() && text[at] == ':') {
    const auto port = port_bytes(text.substr(at));
    if (!port) return std::nullopt;
    at += *port;
  }
  url.host_end = at;
  url.has_path = at < text.size() && kAfterHost.has(text[at]) && text[at] != ':';
  return url;
}

bool is_plausible_host(const WebUrl& url, Compat compat) {
  if (url.bracketed_host) return is_ipv6(url.host);
  const std::string host = percent_decoded(url.host);
  if (is_ipv4(host) || below_public_suffix(host)) return true;
  // 4.1.6 accepts a single label, with or without a final dot, as in "used ftp.".
  const std::size_t dot = host.find('.');
  return compat == Compat::kRspamd4 && (dot == std::string::npos || dot + 1 == host.size());
}

}  // namespace shingled::mime
