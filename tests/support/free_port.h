#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstring>
#include <random>
#include <string>

#include "config/system/socket_address.h"
#include "config/system/unique_fd.h"

namespace shingled::testing {

/// A loopback port for a server that a test starts. No other test gets this port during the
/// lifetime of the object, even while the server is not running. `tests/e2e/harness.py` uses the
/// same rule: the port is below those that the kernel gives to connections (32768 and up), and the
/// name of an abstract unix socket reserves it, which ends with the process.
/// Threads: one thread.
class FreePort {
 public:
  FreePort() {
    static std::minstd_rand random{std::random_device{}()};
    std::uniform_int_distribution<std::uint16_t> ports(20000, 32767);
    do {
      number_ = ports(random);
    } while (!hold() || !is_free(SOCK_STREAM) || !is_free(SOCK_DGRAM));
  }
  [[nodiscard]] std::uint16_t number() const { return number_; }

 private:
  bool hold() {
    const std::string name = "shingled-test-port-" + std::to_string(number_);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    held_ = UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return ::bind(held_.get(), reinterpret_cast<const sockaddr*>(&address), length) == 0;
  }
  [[nodiscard]] bool is_free(int type) const {
    const SocketAddress wanted(*IpAddress::parse("127.0.0.1"), number_);
    const UniqueFd probe(::socket(AF_INET, type | SOCK_CLOEXEC, 0));
    return ::bind(probe.get(), wanted.get(), wanted.length()) == 0;
  }

  std::uint16_t number_ = 0;
  UniqueFd held_;
};

}  // namespace shingled::testing
