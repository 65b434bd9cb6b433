// A name server that does not answer holds nobody up beyond his deadline.
#include "storage/redis/host_lookup.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <netdb.h>

#include <condition_variable>
#include <mutex>
#include <string_view>

namespace {

/// While a test holds it, the look-up of this name waits.
constexpr std::string_view kSlowName = "slow.example";
std::mutex g_name_server;

}  // namespace

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** found) {
  const auto real = reinterpret_cast<decltype(&getaddrinfo)>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  if (node == nullptr || node != kSlowName) return real(node, service, hints, found);
  const std::lock_guard answered(g_name_server);
  return real("192.0.2.7", service, hints, found);
}

namespace shingled::storage::redis {
namespace {

using std::chrono::minutes;

SocketSpec host(std::string name) { return {SocketSpec::Kind::kInet, std::move(name), 6379, ""}; }

TEST(HostLookup, AnAddressNeedsNone) {
  SystemClock clock;
  HostLookup lookup(host("192.0.2.9"), clock);
  const auto found = lookup.find(clock.now());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->front().to_string(), "192.0.2.9:6379");
}

TEST(HostLookup, ANameThatNobodyHasIsSaid) {
  SystemClock clock;
  HostLookup lookup(host("no-such-host.invalid"), clock);
  const auto found = lookup.find(clock.now() + minutes(1));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(found.error().message.find("no-such-host.invalid"), std::string::npos);
}

TEST(HostLookup, NobodyWaitsForANameServerBeyondTheDeadline) {
  SystemClock clock;
  HostLookup lookup(host(std::string(kSlowName)), clock);
  {
    const std::lock_guard away(g_name_server);
    const auto found = lookup.find(clock.now());
    ASSERT_FALSE(found);
    EXPECT_NE(found.error().message.find("still being looked up"), std::string::npos);
  }
  ASSERT_TRUE(lookup.find(clock.now() + minutes(1)));
  const std::lock_guard away(g_name_server);
  const auto before = lookup.find(clock.now());
  ASSERT_TRUE(before) << "the addresses of before are better than none";
  EXPECT_EQ(before->front().to_string(), "192.0.2.7:6379");
}

}  // namespace
}  // namespace shingled::storage::redis
