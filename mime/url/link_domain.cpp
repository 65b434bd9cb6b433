#include "mime/url/link_domain.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "config/base/ascii.h"
#include "mime/model/escapes.h"
#include "mime/url/host_name.h"
#include "mime/url/web_url.h"

namespace shingled::mime {
namespace {

constexpr std::size_t kUserBytesMax = 64;  ///< before the @ of an address
constexpr std::string_view kSchemeMark = "://";
/// Characters that spammers write as %XX without need.
constexpr ascii::CharSet kDecoded("@:|?\\/");

bool is_phone(std::string_view url) {
  return ascii::starts_with_ignoring_case(url, "tel:") ||
         ascii::starts_with_ignoring_case(url, "callto:");
}
bool is_mailto(std::string_view url) { return ascii::starts_with_ignoring_case(url, "mailto:"); }

/// Whether `href` is complete: a scheme and slashes, a mail address or a telephone number. All
/// others are relative to the base of the document, even scripts.
bool is_absolute(std::string_view href) {
  std::size_t at = 0;
  while (at < href.size() && (ascii::is_alnum(href[at]) || href[at] == '+' || href[at] == '-'))
    ++at;
  return (at > 0 && href.substr(at).starts_with(kSchemeMark)) || is_mailto(href) || is_phone(href);
}

/// The scheme to put before a link without `://`; nullopt for a link without a target.
std::optional<std::string_view> missing_scheme(std::string_view href) {
  if (href.find(kSchemeMark) != std::string_view::npos || is_mailto(href) || is_phone(href)) {
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

/// Without white space; `kDecoded` characters that are percent-encoded are decoded.
std::string clean(std::string_view href) {
  std::string url;
  url.reserve(href.size());
  for (std::size_t at = 0; at < href.size(); ++at) {
    if (ascii::is_space(href[at])) continue;
    if (const auto value = percent_escape(href, at); value && kDecoded.has(*value)) {
      url += *value;
      at += 2;
    } else {
      url += href[at];
    }
  }
  return url;
}

/// The host after `mailto:`; nullopt for an invalid address.
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

/// The dotted form of an IPv4 address in any notation.
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

/// The digits of a telephone number, used in place of a host.
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

/// The last label of a name is a word, that of an IPv4 address in any notation a number.
bool is_ip_address(std::string_view host) {
  const std::size_t dot = host.find_last_of('.');
  const std::string_view last = dot == std::string_view::npos ? host : host.substr(dot + 1);
  return !last.empty() && ascii::is_digit(last.front());
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
  const auto host = is_mailto(url) ? address_host(rest) : web_host(url);
  if (!host || (!scheme->empty() && !below_public_suffix(*host))) return std::nullopt;
  return domain_of(*host);
}

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
  if (read->bracketed_host || is_ip_address(read->host)) return std::string(read->host);
  return registrable_domain(read->host);
}

}  // namespace shingled::mime
