#include "mime/url/link_domain.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <utility>

#include "config/base/ascii.h"
#include "mime/url/public_suffix.h"
#include "mime/url/web_url.h"

namespace shingled::mime {
namespace {

constexpr std::size_t kUserBytesMax = 64;  ///< before the @ of an address
constexpr std::string_view kSchemeMark = "://";
constexpr ascii::CharSet kMailUser(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!\"#$%'*+,-./\\^_{|}~");
/// What spammers write as %XX although they need not.
constexpr ascii::CharSet kDecoded("@:|?\\/");

bool is_phone(std::string_view url) {
  return ascii::starts_with_ignoring_case(url, "tel:") ||
         ascii::starts_with_ignoring_case(url, "callto:");
}
bool is_address(std::string_view url) { return ascii::starts_with_ignoring_case(url, "mailto:"); }

/// Whether `href` is complete: a scheme and slashes, an address or a number. All else lies below
/// the document's base, be it a script.
bool is_absolute(std::string_view href) {
  std::size_t at = 0;
  while (at < href.size() && (ascii::is_alnum(href[at]) || href[at] == '+' || href[at] == '-'))
    ++at;
  return (at > 0 && href.substr(at).starts_with(kSchemeMark)) || is_address(href) || is_phone(href);
}

/// What completes a link that has no `://`; nothing for one that leads nowhere.
std::optional<std::string_view> missing_scheme(std::string_view href) {
  if (href.find(kSchemeMark) != std::string_view::npos || is_address(href) || is_phone(href)) {
    return "";
  }
  std::size_t at = 0;
  while (at < href.size() && (ascii::is_alnum(href[at]) || ascii::is_high(href[at]))) ++at;
  if (at == href.size()) return "";
  if (at == 0) {
    return href.starts_with("//") ? std::optional<std::string_view>("http:") : std::nullopt;
  }
  if (href[at] == '@') return "mailto://";
  return href[at] == ':' ? "" : "http://";
}

std::optional<char> percent_value(std::string_view text, std::size_t at) {
  if (at + 2 >= text.size()) return std::nullopt;
  unsigned value = 0;
  const char* begin = text.data() + at + 1;
  if (std::from_chars(begin, begin + 2, value, 16).ptr != begin + 2) return std::nullopt;
  return static_cast<char>(value);
}

/// Without white space, and with the characters that give a URL its form as they are.
std::string clean(std::string_view href) {
  std::string url;
  url.reserve(href.size());
  for (std::size_t at = 0; at < href.size(); ++at) {
    if (ascii::is_space(href[at])) continue;
    if (href[at] == '%') {
      if (const auto value = percent_value(href, at); value && kDecoded.has(*value)) {
        url += *value;
        at += 2;
        continue;
      }
    }
    url += href[at];
  }
  return url;
}

/// The host behind `mailto:`, nothing where the address is none.
std::optional<std::string_view> address_host(std::string_view rest) {
  while (rest.starts_with('/')) rest.remove_prefix(1);
  std::size_t at = 0;
  while (at < rest.size() && kMailUser.has(rest[at])) ++at;
  if (at == 0 || at > kUserBytesMax || at >= rest.size() || rest[at] != '@') return std::nullopt;
  rest.remove_prefix(at + 1);
  const auto host = read_web_url(rest, UrlStart::kAuthority);
  if (!host || (host->host_end != rest.size() && rest[host->host_end] != '?')) return std::nullopt;
  return host->host;
}

/// The four numbers of an IPv4 address however it is written.
std::optional<std::string> address_text(const std::string& host) {
  in_addr address{};
  if (inet_aton(host.c_str(), &address) == 0) return std::nullopt;
  std::array<char, INET_ADDRSTRLEN> text{};
  return inet_ntop(AF_INET, &address, text.data(), text.size());
}

std::string domain_of(std::string_view host) {
  if (auto address = address_text(std::string(host))) return *std::move(address);
  return registrable_domain(host);
}

bool is_known(std::string_view scheme) {
  for (const std::string_view known : {"http", "https", "ftp", "file"}) {
    if (ascii::equal_ignoring_case(scheme, known)) return true;
  }
  return false;
}

/// The digits of a telephone number, which take the place of a host.
std::optional<std::string> phone_number(std::string_view rest) {
  std::string number;
  std::copy_if(rest.begin(), rest.end(), std::back_inserter(number), ascii::is_digit);
  return number.empty() ? std::nullopt : std::optional(std::move(number));
}

std::optional<std::string_view> web_host(std::string_view url) {
  const auto web = read_web_url(url, UrlStart::kScheme);
  if (!web || !is_known(web->scheme)) return std::nullopt;
  const bool ended = web->host_end == url.size() || web->has_path || ends_url(url[web->host_end]) ||
                     opens_url(url[web->host_end]);
  return ended ? std::optional(web->host) : std::nullopt;
}

}  // namespace

std::optional<std::string> link_domain(std::string_view href, const std::string* base) {
  href = ascii::trim_space(href);
  if (base != nullptr && !is_absolute(href)) {
    // Data for images is never a link.
    if (ascii::starts_with_ignoring_case(href, "data:")) return std::nullopt;
    return *base;
  }
  const auto scheme = missing_scheme(href);
  if (!scheme) return std::nullopt;
  const std::string url = std::string(*scheme) + clean(href);
  const std::string_view rest = std::string_view(url).substr(url.find(':') + 1);
  if (is_phone(url)) return phone_number(rest);
  const auto host = is_address(url) ? address_host(rest) : web_host(url);
  if (!host || (!scheme->empty() && !below_public_suffix(*host))) return std::nullopt;
  return domain_of(*host);
}

}  // namespace shingled::mime
