#include "config/system/address_lookup.h"

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

namespace shingled {
namespace {

using std::chrono::minutes;

/// What `wake` does to whoever waits for the end of a look-up.
class Bell {
 public:
  void ring() {
    const std::lock_guard lock(mutex_);
    ++rung_;
    changed_.notify_all();
  }
  void wait_for(int times) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return rung_ >= times; });
  }
  [[nodiscard]] int rung() {
    const std::lock_guard lock(mutex_);
    return rung_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int rung_ = 0;
};

SocketSpec host(std::string name) { return {SocketSpec::Kind::kInet, std::move(name), 11335, ""}; }

TEST(AddressLookup, AnAddressIsThereAtOnce) {
  for (const auto& [text, written] : {std::pair("192.0.2.7", "192.0.2.7:11335"),
                                      std::pair("2001:db8::7", "[2001:db8::7]:11335")}) {
    Bell bell;
    AddressLookup lookup(host(text), [&] { bell.ring(); });
    EXPECT_FALSE(lookup.take()) << "nobody has asked";
    lookup.begin();
    EXPECT_EQ(bell.rung(), 1);
    const auto found = lookup.take();
    ASSERT_TRUE(found);
    ASSERT_TRUE(*found);
    ASSERT_EQ((*found)->size(), 1U);
    EXPECT_EQ((*found)->front().to_string(), written);
    EXPECT_FALSE(lookup.take()) << "once";
    EXPECT_FALSE(lookup.is_under_way());
  }
}

// localhost is in /etc/hosts: a name that needs no network.
TEST(AddressLookup, ANameIsLookedUpOnAThreadOfItsOwnAgainAndAgain) {
  Bell bell;
  AddressLookup lookup(host("localhost"), [&] { bell.ring(); });
  for (int times = 1; times <= 3; ++times) {
    lookup.begin();
    EXPECT_TRUE(lookup.is_under_way());
    lookup.begin();  // one is under way
    bell.wait_for(times);
    const auto found = lookup.take();
    ASSERT_TRUE(found);
    ASSERT_TRUE(*found) << found->error().message;
    ASSERT_FALSE((*found)->empty());
    for (const SocketAddress& address : **found)
      EXPECT_TRUE(address.to_string() == "127.0.0.1:11335" || address.to_string() == "[::1]:11335")
          << address.to_string();
    EXPECT_FALSE(lookup.is_under_way());
    EXPECT_EQ(bell.rung(), times);
  }
}

// RFC 6761: nobody has a name under "invalid". A resolver without a network says so, too.
TEST(AddressLookup, ANameThatNobodyHasIsAnError) {
  Bell bell;
  AddressLookup lookup(host("no-such-host.invalid"), [&] { bell.ring(); });
  lookup.begin();
  bell.wait_for(1);
  const auto found = lookup.take();
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
}

TEST(AddressLookup, MayGoWhileALookUpIsUnderWay) {
  Bell bell;
  {
    AddressLookup lookup(host("localhost"), [&] { bell.ring(); });
    lookup.begin();
  }
  EXPECT_EQ(bell.rung(), 1) << "its thread was joined";
}

TEST(AddressLookup, FindsAnAddressWithoutWaiting) {
  SystemClock clock;
  AddressLookup lookup(host("192.0.2.9"));
  const auto found = lookup.find(clock.now(), clock);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->front().to_string(), "192.0.2.9:11335");
}

TEST(AddressLookup, SaysThatNobodyHasAName) {
  SystemClock clock;
  AddressLookup lookup(host("no-such-host.invalid"));
  const auto found = lookup.find(clock.now() + minutes(1), clock);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(found.error().message.find("no-such-host.invalid"), std::string::npos);
}

TEST(AddressLookup, NobodyWaitsForANameServerBeyondTheDeadline) {
  SystemClock clock;
  AddressLookup lookup(host(std::string(kSlowName)));
  {
    const std::lock_guard away(g_name_server);
    const auto found = lookup.find(clock.now(), clock);
    ASSERT_FALSE(found);
    EXPECT_NE(found.error().message.find("still being looked up"), std::string::npos);
  }
  ASSERT_TRUE(lookup.find(clock.now() + minutes(1), clock));
  const std::lock_guard away(g_name_server);
  const auto before = lookup.find(clock.now(), clock);
  ASSERT_TRUE(before) << "the addresses of before are better than none";
  EXPECT_EQ(before->front().to_string(), "192.0.2.7:11335");
}

}  // namespace
}  // namespace shingled
