#include "mime/text/link_target.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <utility>

#include "mime/ascii.h"
#include "mime/text/public_suffix.h"
#include "mime/text/web_url.h"

namespace shingled::mime {
namespace {

constexpr std::size_t kUserBytesMax = 64;  ///< before the @ of an address
constexpr std::string_view kSchemeMark = "://";
constexpr ascii::CharSet kMailUser(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!\"#$%'*+,-./\\^_{|}~");
/// What spammers write as %XX although they need not.
constexpr ascii::CharSet kDecoded("@:|?\\/");

bool has_scheme_mark(std::string_view text) {
  return text.find(kSchemeMark) != std::string_view::npos;
}

/// Whether `href` starts with a scheme and slashes. All else lies below the document's base, be it
/// a script.
bool is_absolute(std::string_view href) {
  std::size_t at = 0;
  while (at < href.size() && (ascii::is_alnum(href[at]) || href[at] == '+' || href[at] == '-'))
    ++at;
  return at > 0 && href.substr(at).starts_with(kSchemeMark);
}

/// What completes a link that has no `://`; nothing for one that leads nowhere.
std::optional<std::string_view> missing_scheme(std::string_view href) {
  if (has_scheme_mark(href)) return "";
  for (const std::string_view scheme : {"mailto:", "tel:", "callto:"}) {
    if (ascii::starts_with_ignoring_case(href, scheme)) return "";
  }
  std::size_t at = 0;
  while (at < href.size() && (ascii::is_alnum(href[at]) || ascii::is_high(href[at]))) ++at;
  if (at == href.size()) return "";
  if (at == 0)
    return href.starts_with("//") ? std::optional<std::string_view>("http:") : std::nullopt;
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

bool is_phone(std::string_view url) {
  return ascii::starts_with_ignoring_case(url, "tel:") ||
         ascii::starts_with_ignoring_case(url, "callto:");
}

/// The digits of a telephone number, which take the place of a host.
std::optional<std::string> phone_number(std::string_view rest) {
  std::string number;
  std::copy_if(rest.begin(), rest.end(), std::back_inserter(number), ascii::is_digit);
  return number.empty() ? std::nullopt : std::optional(std::move(number));
}

/// Reads host and path of a web link.
std::optional<std::string_view> web_host(std::string_view url, bool& has_path) {
  const auto web = read_web_url(url, UrlStart::kScheme);
  if (!web || !is_known(web->scheme)) return std::nullopt;
  const bool ended = web->host_end == url.size() || web->has_path || ends_url(url[web->host_end]) ||
                     opens_url(url[web->host_end]);
  if (!ended) return std::nullopt;
  has_path = web->has_path;
  return web->host;
}

}  // namespace

std::optional<LinkTarget> read_link(std::string_view href, const LinkTarget* base) {
  href = ascii::trim_space(href);
  std::string below;
  if (base != nullptr && !is_absolute(href)) {
    if (ascii::starts_with_ignoring_case(href, "data:")) return std::nullopt;
    below.append(base->url).append(base->has_path ? "" : "/").append(href);
    href = below;
  }
  const auto scheme = missing_scheme(href);
  if (!scheme) return std::nullopt;
  LinkTarget target;
  target.url = std::string(*scheme) + clean(href);
  const std::string_view url = target.url;
  const std::size_t colon = url.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  if (is_phone(url)) {
    auto number = phone_number(url.substr(colon));
    if (!number) return std::nullopt;
    target.domain = *std::move(number);
    return target;
  }
  const auto host = ascii::starts_with_ignoring_case(url, "mailto:")
                        ? address_host(url.substr(colon + 1))
                        : web_host(url, target.has_path);
  if (!host || (!scheme->empty() && !below_public_suffix(*host))) return std::nullopt;
  target.domain = domain_of(*host);
  return target;
}

}  // namespace shingled::mime
