#pragma once

#include <sys/socket.h>

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"

namespace shingled {

/// An IP address of either family. IPv4-mapped IPv6 (::ffff:a.b.c.d) is folded to IPv4 when made.
struct IpAddress {
  enum class Family : std::uint8_t { kV4, kV6 };
  Family family = Family::kV4;
  std::array<std::uint8_t, 16>
      bytes{};  ///< network order; IPv4 uses the first four, the rest is zero

  /// Numeric text only ("192.0.2.1", "2001:db8::1"); no names, no brackets, no ports.
  static std::optional<IpAddress> parse(std::string_view text);
  static std::optional<IpAddress> from(const sockaddr* address, socklen_t length);

  [[nodiscard]] bool is_loopback() const;  ///< 127.0.0.0/8 or ::1
  [[nodiscard]] int bits() const { return family == Family::kV4 ? 32 : 128; }
  [[nodiscard]] std::string to_string() const;
  friend auto operator<=>(const IpAddress&, const IpAddress&) = default;
};

/// An address range, "192.0.2.0/24" or a single address.
struct Network {
  IpAddress address;
  int prefix_bits = 0;

  /// Bits after the prefix are cleared. nullopt for invalid text or a prefix out of range.
  static std::optional<Network> parse(std::string_view text);
  /// The network of that length that has the address; 0 to ip.bits().
  static Network of(const IpAddress& ip, int prefix_bits);
  [[nodiscard]] bool contains(const IpAddress& ip) const;
  [[nodiscard]] std::string to_string() const;
  friend bool operator==(const Network&, const Network&) = default;
};

bool contains(const std::vector<Network>& networks, const IpAddress& ip);

/// An address to listen on or to connect to, as the configuration has it. A host may be a name or
/// an address.
///
///   inet:PORT@HOST  inet6:PORT@HOST  unix:/path  local:/path       (milter style)
///   HOST:PORT  [IPV6]:PORT  HOST  *:PORT                           (Postfix and fuzzy style)
struct SocketSpec {
  enum class Kind : std::uint8_t { kInet, kInet6, kUnix };
  Kind kind = Kind::kInet;
  std::string host;  ///< name or address without brackets; empty = any address
  std::uint16_t port = 0;
  std::string path;  ///< for kUnix

  /// `default_port` is used if the text has no port; 0 = a port is required.
  static Result<SocketSpec> parse(std::string_view text, std::uint16_t default_port = 0);
  [[nodiscard]] std::string to_string() const;  ///< milter style
  friend bool operator==(const SocketSpec&, const SocketSpec&) = default;
};

/// A resolved address for the kernel. A value.
class SocketAddress {
 public:
  SocketAddress() = default;
  SocketAddress(const sockaddr* address, socklen_t length);
  SocketAddress(const IpAddress& ip, std::uint16_t port);
  /// Resolves a TCP/UDP spec (getaddrinfo, may block on DNS) to every address it names.
  static Result<std::vector<SocketAddress>> resolve(const SocketSpec& spec);
  /// All addresses of several, each once, to listen on: `*:1` has `[::]:1`, too, if this machine
  /// has IPv6.
  static Result<std::vector<SocketAddress>> resolve_all(const std::vector<SocketSpec>& specs);

  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage_); }
  [[nodiscard]] socklen_t length() const { return length_; }
  [[nodiscard]] int family() const { return storage_.ss_family; }
  [[nodiscard]] std::optional<IpAddress> ip() const { return IpAddress::from(get(), length_); }
  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::string to_string() const;  ///< "192.0.2.1:11335", "[::1]:11335"
  friend bool operator==(const SocketAddress& a, const SocketAddress& b) {
    return a.port() == b.port() && a.ip() == b.ip();
  }

 private:
  sockaddr_storage storage_{};
  socklen_t length_ = 0;
};

}  // namespace shingled
