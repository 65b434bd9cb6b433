#include "mime/pieces/link.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <utility>

#include "config/base/ascii.h"
#include "mime/model/escapes.h"
#include "mime/url/ascii_host.h"
#include "mime/url/public_suffix.h"
#include "mime/url/web_url.h"

namespace shingled::mime {

namespace {

constexpr std::array<std::string_view, 3> kSchemes = {"http", "https", "ftp"};

/// Without white space and control characters; backslashes before the query are slashes.
std::string clean_url(std::string_view url) {
  std::string out;
  bool in_path = true;
  for (const char c : url.substr(0, kLinkBytesMax)) {
    if (!ascii::is_graph(c) && !ascii::is_high(c)) continue;
    in_path = in_path && c != '?' && c != '#';
    out += in_path && c == '\\' ? '/' : c;
  }
  return out;
}

/// The dotted form of an IPv4 address in any notation: 0x7f.1 is 127.0.0.1.
std::optional<std::string> dotted(const std::string& host) {
  in_addr address{};
  if (host.empty() || inet_aton(host.c_str(), &address) == 0) return std::nullopt;
  std::array<char, INET_ADDRSTRLEN> text{};
  return inet_ntop(AF_INET, &address, text.data(), text.size());
}

bool is_dotted(const std::string& host) {
  in_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1;
}

bool may_be_host(std::string_view host) {
  return std::all_of(host.begin(), host.end(), [](char c) {
    return ascii::is_alnum(c) || ascii::is_high(c) || c == '.' || c == '-' || c == '_' || c == ':';
  });
}

}  // namespace

std::string Link::text() const { return scheme + "://" + host + path; }

std::string Link::domain() const {
  const bool address = host.find(':') != std::string::npos || is_dotted(host);
  return address ? host : registrable_domain(host);
}

std::string Link::first_step() const {
  std::size_t begin = 0;
  while (begin < path.size() && path[begin] == '/') ++begin;
  if (begin == path.size()) return {};
  return host + '/' + path.substr(begin, path.find('/', begin) - begin);
}

std::optional<Link> read_link(std::string_view url) {
  std::string text = clean_url(url);
  if (text.starts_with("//")) {
    text.insert(0, "http:");
  } else if (ascii::starts_with_ignoring_case(text, "www.")) {
    text.insert(0, "http://");
  }
  const auto web = read_web_url(text, UrlStart::kScheme);
  if (!web) return std::nullopt;
  Link link;
  link.scheme = ascii::to_lower(web->scheme);
  if (std::find(kSchemes.begin(), kSchemes.end(), link.scheme) == kSchemes.end()) {
    return std::nullopt;
  }
  link.host = ascii_host(percent_decoded(web->host));
  if (auto address = dotted(link.host)) link.host = *std::move(address);
  if (link.host.empty() || !may_be_host(link.host)) return std::nullopt;
  std::string_view rest = std::string_view(text).substr(web->host_end);
  rest = rest.substr(0, rest.find('#'));
  const std::string_view path = rest.substr(0, rest.find('?'));
  link.path = path.starts_with('/') ? percent_decoded(path) : "/";
  if (path.size() < rest.size()) link.query = rest.substr(path.size() + 1);
  return link;
}

}  // namespace shingled::mime
