#include "config/system/socket_address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "config/base/number_text.h"
#include "config/system/unique_fd.h"

namespace shingled {

namespace {

IpAddress fold_mapped(const std::array<std::uint8_t, 16>& bytes) {
  constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  IpAddress ip;
  if (std::memcmp(bytes.data(), kMapped.data(), kMapped.size()) == 0) {
    std::memcpy(ip.bytes.data(), bytes.data() + 12, 4);
    return ip;
  }
  ip.family = IpAddress::Family::kV6;
  ip.bytes = bytes;
  return ip;
}

bool is_prefix_of(std::string_view prefix, std::string_view text) {
  return text.substr(0, prefix.size()) == prefix;
}

/// Whether this machine has IPv6; it may be compiled out or switched off.
bool has_ipv6() {
  const UniqueFd fd(::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd) return false;
  sockaddr_in6 any{};
  any.sin6_family = AF_INET6;
  return ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0;
}

}  // namespace

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return std::nullopt;  // inet_pton would stop there
  const std::string terminated(text);
  std::array<std::uint8_t, 16> bytes{};
  if (inet_pton(AF_INET, terminated.c_str(), bytes.data()) == 1)
    return IpAddress{Family::kV4, bytes};
  if (inet_pton(AF_INET6, terminated.c_str(), bytes.data()) == 1) return fold_mapped(bytes);
  return std::nullopt;
}

std::optional<IpAddress> IpAddress::from(const sockaddr* address, socklen_t length) {
  if (address == nullptr) return std::nullopt;
  if (address->sa_family == AF_INET && length >= sizeof(sockaddr_in)) {
    sockaddr_in v4{};
    std::memcpy(&v4, address, sizeof v4);
    IpAddress ip;
    std::memcpy(ip.bytes.data(), &v4.sin_addr, 4);
    return ip;
  }
  if (address->sa_family == AF_INET6 && length >= sizeof(sockaddr_in6)) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, address, sizeof v6);
    std::array<std::uint8_t, 16> bytes{};
    std::memcpy(bytes.data(), &v6.sin6_addr, 16);
    return fold_mapped(bytes);
  }
  return std::nullopt;
}

bool IpAddress::is_loopback() const {
  if (family == Family::kV4) return bytes[0] == 127;
  for (std::size_t i = 0; i < 15; ++i) {
    if (bytes[i] != 0) return false;
  }
  return bytes[15] == 1;
}

std::string IpAddress::to_string() const {
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(family == Family::kV4 ? AF_INET : AF_INET6, bytes.data(), text, sizeof text);
  return text;
}

std::optional<Network> Network::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto ip = IpAddress::parse(text.substr(0, slash));
  if (!ip) return std::nullopt;
  if (slash == std::string_view::npos) return of(*ip, ip->bits());
  const auto bits = parse_whole<int>(text.substr(slash + 1), 0, ip->bits());
  if (!bits) return std::nullopt;
  return of(*ip, *bits);
}

Network Network::of(const IpAddress& ip, int prefix_bits) {
  Network network{ip, prefix_bits};
  auto& bytes = network.address.bytes;
  const auto whole = static_cast<std::size_t>(prefix_bits / 8);
  if (whole >= bytes.size()) return network;
  bytes[whole] &= static_cast<std::uint8_t>(0xff00U >> (prefix_bits % 8));
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(whole) + 1, bytes.end(), std::uint8_t{0});
  return network;
}

bool Network::contains(const IpAddress& ip) const {
  if (ip.family != address.family) return false;
  const auto whole = static_cast<std::size_t>(prefix_bits / 8);
  if (std::memcmp(ip.bytes.data(), address.bytes.data(), whole) != 0) return false;
  const int rest = prefix_bits % 8;
  if (rest == 0) return true;
  const auto mask = static_cast<std::uint8_t>(0xff00U >> rest);
  return ((ip.bytes[whole] ^ address.bytes[whole]) & mask) == 0;
}

std::string Network::to_string() const {
  return prefix_bits == address.bits() ? address.to_string()
                                       : address.to_string() + '/' + std::to_string(prefix_bits);
}

bool contains(const std::vector<Network>& networks, const IpAddress& ip) {
  for (const Network& network : networks) {
    if (network.contains(ip)) return true;
  }
  return false;
}

Result<SocketSpec> SocketSpec::parse(std::string_view text, std::uint16_t default_port) {
  const auto refuse = [&](std::string_view why) {
    std::string message = "'";
    message.append(text).append("' is not a valid socket: ").append(why);
    message.append("; allowed: inet:PORT@HOST, inet6:PORT@HOST, unix:/PATH, local:/PATH, ");
    message.append("HOST:PORT, [IPV6]:PORT");
    return Error{ErrorCode::kInvalid, message};
  };
  const bool printable =
      std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (const std::size_t colon = text.find("://"); colon != std::string_view::npos) {
    return refuse("write it without '" + std::string(text.substr(0, colon)) + "://'");
  }
  const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  if (is_number) {
    const std::string port(text);
    return refuse("a port needs an address before it, such as 127.0.0.1:" + port +
                  " or '*:" + port + "' for all");
  }
  SocketSpec spec;
  for (const std::string_view scheme : {"unix:", "local:"}) {
    if (!is_prefix_of(scheme, text)) continue;
    spec.kind = Kind::kUnix;
    spec.path = text.substr(scheme.size());
    constexpr std::size_t kPathBytesMax = 107;  // sun_path of unix(7), less its final zero
    if (spec.path.empty() || spec.path[0] != '/') return refuse("the path must be absolute");
    if (spec.path.find('\0') != std::string::npos) return refuse("the path has a zero byte");
    if (spec.path.size() > kPathBytesMax) return refuse("the path is longer than 107 bytes");
    return spec;
  }
  std::string_view host;
  std::string_view port;
  const bool milter_v6 = is_prefix_of("inet6:", text);
  if (milter_v6 || is_prefix_of("inet:", text)) {
    if (milter_v6) spec.kind = Kind::kInet6;
    const std::string_view rest = text.substr(milter_v6 ? 6 : 5);
    const std::size_t at = rest.find('@');
    const std::size_t colon = rest.rfind(':');
    if (at != std::string_view::npos) {  // PORT@HOST, libmilter
      port = rest.substr(0, at);
      host = rest.substr(at + 1);
    } else if (colon != std::string_view::npos) {  // HOST:PORT, Postfix writes inet:HOST:PORT
      host = rest.substr(0, colon);
      port = rest.substr(colon + 1);
    } else {
      port = rest;
    }
  } else {
    const std::size_t bracket = text.rfind(']');
    const std::size_t colon = text.rfind(':');
    const bool has_port =
        colon != std::string_view::npos &&
        (bracket != std::string_view::npos ? colon > bracket : text.find(':') == colon);
    host = has_port ? text.substr(0, colon) : text;
    if (has_port) port = text.substr(colon + 1);
    if (has_port && port.empty()) return refuse("the port is empty");
  }
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
    if (!IpAddress::parse(host)) return refuse("the text in brackets is not an IPv6 address");
  }
  if (host == "*") host = {};
  if (const auto ip = IpAddress::parse(host); ip && ip->family == IpAddress::Family::kV6) {
    spec.kind = Kind::kInet6;
  }
  if (!printable || host.find_first_of("/@[]") != std::string_view::npos) {
    return refuse("the host name is not valid");
  }
  spec.host = host;
  if (port.empty()) {
    if (default_port == 0) return refuse("the port is missing");
    spec.port = default_port;
    return spec;
  }
  const auto number = parse_whole<std::uint16_t>(port);
  if (!number) return refuse("the port must be 0 to 65535");
  spec.port = *number;
  return spec;
}

std::string SocketSpec::to_string() const {
  if (kind == Kind::kUnix) return "unix:" + path;
  const std::string scheme = kind == Kind::kInet6 ? "inet6:" : "inet:";
  return scheme + std::to_string(port) + (host.empty() ? "" : "@" + host);
}

SocketAddress::SocketAddress(const sockaddr* address, socklen_t length)
    : length_(length <= sizeof storage_ ? length : socklen_t{sizeof storage_}) {
  std::memcpy(&storage_, address, length_);
}

SocketAddress::SocketAddress(const IpAddress& ip, std::uint16_t port) {
  if (ip.family == IpAddress::Family::kV4) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(&v4.sin_addr, ip.bytes.data(), 4);
    std::memcpy(&storage_, &v4, sizeof v4);
    length_ = sizeof v4;
  } else {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    std::memcpy(&v6.sin6_addr, ip.bytes.data(), 16);
    std::memcpy(&storage_, &v6, sizeof v6);
    length_ = sizeof v6;
  }
}

Result<std::vector<SocketAddress>> SocketAddress::resolve_all(
    const std::vector<SocketSpec>& specs) {
  std::vector<SocketAddress> out;
  const auto add = [&out](const SocketAddress& address) {
    const bool chosen_by_kernel = address.port() == 0;
    if (chosen_by_kernel || std::ranges::find(out, address) == out.end()) out.push_back(address);
  };
  for (const SocketSpec& spec : specs) {
    const auto addresses = resolve(spec);
    if (!addresses) return addresses.error();
    std::ranges::for_each(*addresses, add);
    const bool any = spec.kind == SocketSpec::Kind::kInet && spec.host.empty() && spec.port != 0;
    if (any && has_ipv6()) add(SocketAddress(IpAddress{IpAddress::Family::kV6}, spec.port));
  }
  return out;
}

Result<std::vector<SocketAddress>> SocketAddress::resolve(const SocketSpec& spec) {
  addrinfo hints{};
  hints.ai_family = spec.kind == SocketSpec::Kind::kInet6 ? AF_INET6 : AF_UNSPEC;
  if (spec.host.empty() && spec.kind == SocketSpec::Kind::kInet) hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_DGRAM;  // one entry an address; the port means the same for TCP
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(spec.port);
  const int failure =
      getaddrinfo(spec.host.empty() ? nullptr : spec.host.c_str(), port.c_str(), &hints, &found);
  if (failure != 0) {
    return Error{failure == EAI_AGAIN ? ErrorCode::kUnavailable : ErrorCode::kNotFound,
                 "cannot resolve '" + spec.host + "': " + gai_strerror(failure)};
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);
  std::vector<SocketAddress> out;
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
    out.emplace_back(entry->ai_addr, entry->ai_addrlen);
  }
  return out;
}

std::uint16_t SocketAddress::port() const {
  if (family() == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in*>(&storage_)->sin_port);
  if (family() == AF_INET6)
    return ntohs(reinterpret_cast<const sockaddr_in6*>(&storage_)->sin6_port);
  return 0;
}

std::string SocketAddress::to_string() const {
  if (family() == AF_UNIX) {
    return "unix:" + std::string(static_cast<const char*>(
                         reinterpret_cast<const sockaddr_un*>(&storage_)->sun_path));
  }
  const auto address = ip();
  if (!address) return "?";
  const std::string host = address->to_string();
  const bool v6 = address->family == IpAddress::Family::kV6;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port());
}

}  // namespace shingled
