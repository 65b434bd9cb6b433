#include "mime/pieces/link.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "config/base/ascii.h"
#include "config/base/number_text.h"
#include "mime/model/escapes.h"
#include "mime/url/host_name.h"

namespace shingled::mime {

namespace {

constexpr std::size_t kHostBytesMax = 253;
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

/// The short form of an IPv6 address.
std::optional<std::string> shortened(const std::string& address) {
  in6_addr bytes{};
  if (inet_pton(AF_INET6, address.c_str(), &bytes) != 1) return std::nullopt;
  std::array<char, INET6_ADDRSTRLEN> text{};
  return inet_ntop(AF_INET6, &bytes, text.data(), text.size());
}

bool is_dotted(const std::string& host) {
  in_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1;
}

bool may_be_host(std::string_view host) {
  if (host.empty() || host.size() > kHostBytesMax || host.front() == '.') return false;
  return std::all_of(host.begin(), host.end(), [](char c) {
    return ascii::is_alnum(c) || ascii::is_high(c) || c == '.' || c == '-' || c == '_';
  });
}

/// Whether a browser takes what follows a host, with its colon: the number may be missing.
bool is_port(std::string_view text) {
  if (text.empty() || text == ":") return true;
  return text.front() == ':' && parse_whole<std::uint16_t>(text.substr(1), 1).has_value();
}

/// The host of "user:password@host:port", as browsers read it: it follows the last @, whatever is
/// before that one and whatever it looks like.
std::optional<std::string> host_of(std::string_view authority) {
  authority.remove_prefix(authority.rfind('@') + 1);
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    if (end == std::string_view::npos || !is_port(authority.substr(end + 1))) return std::nullopt;
    return shortened(std::string(authority.substr(1, end - 1)));
  }
  const std::size_t end = std::min(authority.find(':'), authority.size());
  if (!is_port(authority.substr(end))) return std::nullopt;
  std::string host = ascii_host(percent_decoded(authority.substr(0, end)));
  if (auto address = dotted(host)) return address;
  return may_be_host(host) ? std::optional(std::move(host)) : std::nullopt;
}

/// How many full stops a step of a path consists of, in any spelling: "." is 1, "%2E." is 2; 0 for
/// any other step.
std::size_t dots_in(std::string_view step) {
  constexpr std::string_view kEncoded = "%2e";
  std::size_t dots = 0;
  for (; !step.empty(); ++dots) {
    const bool plain = step.front() == '.';
    if (!plain && !ascii::starts_with_ignoring_case(step, kEncoded)) return 0;
    step.remove_prefix(plain ? 1 : kEncoded.size());
  }
  return dots;
}

/// Appends `path`, whose first step follows the slash at the end of `out`, without the steps "."
/// and "..", as a browser requests it (WHATWG URL 4.4, path state).
void append_steps(std::string_view path, std::string& out) {
  std::vector<std::size_t> begins;  // of the steps in `out`: a decoded step may have slashes itself
  for (std::size_t at = 0; at + 1 < out.size(); at = out.find('/', at + 1))
    begins.push_back(at + 1);
  for (;;) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view step = path.substr(0, end);
    const bool last = end == path.size();
    switch (dots_in(step)) {
      case 1:
        break;
      case 2:
        if (begins.empty()) break;
        out.erase(begins.back());
        begins.pop_back();
        break;
      default:
        begins.push_back(out.size());
        out += percent_decoded(step);
        if (!last) out += '/';
    }
    if (last) return;
    path.remove_prefix(end + 1);
  }
}

/// Where "/path?query", or a part of it, leads from another link.
Link below(Link link, std::string_view rest) {
  const std::string_view path = rest.substr(0, rest.find('?'));
  if (!path.empty()) {
    link.path.erase(path.starts_with('/') ? 0 : link.path.rfind('/') + 1);
    if (link.path.empty()) link.path = "/";
    append_steps(path.substr(path.starts_with('/') ? 1 : 0), link.path);
  }
  link.query = path.size() < rest.size() ? rest.substr(path.size() + 1) : std::string_view();
  return link;
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

std::optional<Link> read_link(std::string_view url, const Link* base) {
  std::string text = clean_url(url);
  if (text.starts_with("//")) {
    text.insert(0, "http:");
  } else if (base == nullptr && ascii::starts_with_ignoring_case(text, "www.")) {
    text.insert(0, "http://");
  }
  std::string_view rest = std::string_view(text).substr(0, text.find('#'));
  const std::size_t scheme = std::min(rest.find_first_of(":/?"), rest.size());
  if (scheme == rest.size() || rest[scheme] != ':') {
    if (base == nullptr || rest.empty()) return std::nullopt;
    return below(*base, rest);
  }
  Link link;
  link.scheme = ascii::to_lower(rest.substr(0, scheme));
  if (std::ranges::find(kSchemes, link.scheme) == kSchemes.end()) return std::nullopt;
  rest.remove_prefix(scheme + 1);
  if (base != nullptr && link.scheme == base->scheme && !rest.starts_with('/'))
    return below(*base, rest);  // "https:x" below an https base (WHATWG URL 4.4, scheme state)
  // Browsers take any number of slashes, also one or none.
  rest.remove_prefix(std::min(rest.find_first_not_of('/'), rest.size()));
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  // What was cut off might have been another host.
  if (end == rest.size() && url.size() >= kLinkBytesMax) return std::nullopt;
  auto host = host_of(rest.substr(0, end));
  if (!host) return std::nullopt;
  link.host = *std::move(host);
  link.path = "/";
  return below(link, rest.substr(end));
}

namespace {

constexpr std::size_t kStepsMin = 3;
constexpr std::size_t kMixedBytesMin = 16;
constexpr std::size_t kCapitalBytesMin = 24;

bool is_random(std::string_view step) {
  if (step.size() < kMixedBytesMin) return false;
  const bool digit = std::ranges::any_of(step, ascii::is_digit);
  const bool letter = std::ranges::any_of(step, ascii::is_alpha);
  if (digit && letter) return true;
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  return step.size() >= kCapitalBytesMin && std::ranges::any_of(step.substr(1), is_capital);
}

class Shape {
 public:
  void add(char mark, std::string_view step) {
    text_ += mark;
    ++steps_;
    if (is_random(step)) {
      text_ += '*';
      return;
    }
    bool digits = false;
    for (const char c : step) {
      const bool digit = ascii::is_digit(c);
      if (!digit) text_ += c;
      if (digit && !digits) text_ += '0';
      digits = digit;
      telling_ = telling_ || ascii::is_alpha(c);
    }
  }

  std::string take() { return telling_ && steps_ >= kStepsMin ? std::move(text_) : std::string(); }

 private:
  std::string text_;
  std::size_t steps_ = 0;
  bool telling_ = false;  ///< has a letter that stays
};

/// The text up to the next `end`, which is taken away, too.
std::string_view next(std::string_view& text, char end) {
  const std::size_t size = std::min(text.find(end), text.size());
  const std::string_view step = text.substr(0, size);
  text.remove_prefix(std::min(size + 1, text.size()));
  return step;
}

}  // namespace

std::string link_shape(const Link& link) {
  Shape shape;
  std::string_view path = link.path;
  next(path, '/');
  while (!path.empty()) shape.add('/', next(path, '/'));
  std::string_view query = link.query;
  for (char before = '?'; !query.empty(); before = '&') {
    std::string_view name = next(query, '&');
    shape.add(before, next(name, '='));
  }
  return shape.take();
}

}  // namespace shingled::mime
