#include "mime/url/url_name.h"

#include <algorithm>
#include <optional>

#include "config/base/ascii.h"
#include "mime/url/public_suffix.h"
#include "mime/url/web_url.h"

namespace shingled::mime {

namespace {

std::string phone_digits(std::string_view number) {
  constexpr std::size_t kPhoneBytesMax = 64;
  std::string digits;
  for (const char c : number.substr(0, kPhoneBytesMax)) {
    if (ascii::is_digit(c)) {
      digits += c;
    } else if (ascii::is_alpha(c)) {
      break;
    }
  }
  return digits;
}

/// The last label of a name is a word, of an IPv4 address in any notation a number.
bool is_address(std::string_view host) {
  const std::size_t dot = host.find_last_of('.');
  const std::string_view last = dot == std::string_view::npos ? host : host.substr(dot + 1);
  return !last.empty() && ascii::is_digit(last.front());
}

}  // namespace

std::string url_name(std::string_view url) {
  for (const std::string_view scheme : {"tel:", "callto:"}) {
    if (ascii::starts_with_ignoring_case(url, scheme))
      return phone_digits(url.substr(scheme.size()));
  }
  constexpr std::string_view kMailto = "mailto:";
  const bool mail = ascii::starts_with_ignoring_case(url, kMailto);
  if (mail) url.remove_prefix(kMailto.size());
  auto read = mail ? std::nullopt : read_web_url(url, UrlStart::kScheme);
  if (!read) read = read_web_url(url, UrlStart::kAuthority);
  if (!read) return {};
  if (read->bracketed_host || is_address(read->host)) return std::string(read->host);
  return registrable_domain(read->host);
}

}  // namespace shingled::mime
