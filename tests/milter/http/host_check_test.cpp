#include "milter/http/host_check.h"

#include <gtest/gtest.h>

namespace shingled::milter::http {
namespace {

TEST(HostCheck, KnowsTheNamesOfThisServer) {
  const std::vector<SocketSpec> listen = {{SocketSpec::Kind::kInet, "status.example", 11340, ""},
                                          {SocketSpec::Kind::kInet, "", 11341, ""},
                                          {SocketSpec::Kind::kUnix, "", 0, "/run/shingled/status"}};
  const HostCheck check(listen, "mx1");
  struct Case {
    const char* why;
    const char* host;
    bool ours;
  };
  constexpr Case kCases[] = {
      {"as Prometheus scrapes", "127.0.0.1:11340", true},
      {"by name", "localhost:11340", true},
      {"in any case, fully qualified", "LocalHost.", true},
      {"IPv6", "[::1]:11340", true},
      {"IPv6 without a port", "::1", true},
      {"another address: it cannot be an attacker's name", "192.0.2.1:11340", true},
      {"the name of http.listen", "status.example", true},
      {"the name of this machine", "MX1:11340", true},
      {"a name that resolves to this server", "rebind.evil.example:11340", false},
      {"a name that begins like an allowed one", "localhost.evil.example", false},
      {"a name that ends like an allowed one", "evil-localhost", false},
      {"a name that begins like an address", "127.0.0.1.evil.example", false},
      {"an empty name", "", false},
      {"only a port", ":11340", false},
  };
  for (const Case& one : kCases) EXPECT_EQ(check.is_ours(one.host), one.ours) << one.why;
}

}  // namespace
}  // namespace shingled::milter::http
