#include "milter/http/endpoint.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/base/ascii.h"

namespace shingled::milter::http {

namespace {

constexpr std::uint16_t kStandardPort = 11340;

}  // namespace

Result<Endpoint> parse_endpoint(std::string_view url) {
  const Error wrong{
      ErrorCode::kInvalid,
      "must be https://HOST[:PORT][/PREFIX], http://HOST[:PORT][/PREFIX] or unix:/PATH"};
  Endpoint out;
  const std::string_view given = url;
  if (url.starts_with("unix:")) {
    const auto socket = SocketSpec::parse(url);
    if (!socket) return wrong;
    out.socket = *socket;
    return out;
  }
  if (ascii::starts_with_ignoring_case(url, "https://")) {
    out.tls = true;
    url.remove_prefix(8);
  } else if (ascii::starts_with_ignoring_case(url, "http://")) {
    url.remove_prefix(7);
  } else {
    return wrong;
  }
  const std::size_t slash = std::min(url.find('/'), url.size());
  out.prefix = url.substr(slash);
  while (out.prefix.ends_with('/')) out.prefix.pop_back();
  const std::string_view authority = url.substr(0, slash);
  const bool plain = std::ranges::all_of(given, [](char c) { return ascii::is_graph(c); }) &&
                     authority.find_first_of("@?#") == std::string_view::npos &&
                     out.prefix.find_first_of("?#") == std::string::npos;
  const auto socket = SocketSpec::parse(authority, kStandardPort);
  if (!plain || !socket || socket->host.empty() || socket->kind == SocketSpec::Kind::kUnix)
    return wrong;
  out.socket = *socket;
  out.host = authority;
  return out;
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (ascii::is_alnum(c))
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return out;
}

}  // namespace shingled::milter::http
