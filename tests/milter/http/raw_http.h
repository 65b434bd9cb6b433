#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "config/system/socket_address.h"
#include "config/system/unique_fd.h"
#include "config/system/unix_address.h"

namespace shingled::testing {

/// One connection to an HTTP server, for requests of any form.
class RawHttp {
 public:
  explicit RawHttp(const SocketSpec& place)
      : fd_(::socket(place.kind == SocketSpec::Kind::kUnix ? AF_UNIX : AF_INET,
                     SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const SocketAddress address = place.kind == SocketSpec::Kind::kUnix
                                      ? *unix_address(place.path)
                                      : SocketAddress::resolve(place)->front();
    EXPECT_EQ(::connect(fd_.get(), address.get(), address.length()), 0);
  }

  void send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  void post(const std::string& path, std::string_view body, const std::string& headers = "") const {
    send("POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body));
  }
  /// Reads until the server closes, or until `end` came. Says so if neither happens.
  [[nodiscard]] std::string read(std::string_view end = {}) const {
    constexpr int kPatienceMs = 30'000;
    std::string text;
    std::vector<char> buffer(65'536);
    pollfd ask{fd_.get(), POLLIN, 0};
    while (::poll(&ask, 1, kPatienceMs) == 1) {
      const ssize_t count = ::recv(fd_.get(), buffer.data(), buffer.size(), 0);
      if (count <= 0) return text;
      text.append(buffer.data(), static_cast<std::size_t>(count));
      if (!end.empty() && text.ends_with(end)) return text;
    }
    return text + "(the connection stays open)";
  }

 private:
  UniqueFd fd_;
};

}  // namespace shingled::testing
