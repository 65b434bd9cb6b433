// Covers storage/client/remote_store.cpp: names of servers whose addresses change or are missing.
#include <gtest/gtest.h>

#include "tests/storage/client/remote_store_fixture.h"

namespace shingled::storage::client {
namespace {

using namespace remote_store_test;

/// A look-up whose addresses a test can change.
class MovingNames final : public NameLookup {
 public:
  Result<UpstreamServer> find(const ServerSpec& spec) override {
    if (addresses.empty()) return Error{ErrorCode::kUnavailable, "no name server"};
    return UpstreamServer{spec.to_string(), spec.weight, addresses};
  }
  std::vector<SocketAddress> addresses;
};

TEST(RemoteStore, FollowsANameToItsNewAddress) {
  Served first;
  Served second;
  MovingNames names;
  names.addresses = *SocketAddress::resolve(first.spec());
  RemoteOptions options;
  options.timeout = milliseconds(5000);
  options.servers.servers = {*ServerSpec::parse("fuzzy.example:11335")};
  const auto store =
      std::move(RemoteStore::open(options, system_clock(), system_random(), names).value());
  EXPECT_EQ(ask_one(*store, request(Kind::kAdd)).outcome, Outcome::kDone);
  names.addresses = *SocketAddress::resolve(second.spec());
  EXPECT_TRUE(store->look_up(names)[0].status);
  EXPECT_EQ(ask_one(*store, request(Kind::kCheck)).outcome, Outcome::kMiss);

  names.addresses.clear();
  const auto lost = store->look_up(names);
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost[0].status.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(lost[0].has_address);
  EXPECT_EQ(ask_one(*store, request(Kind::kAdd)).outcome, Outcome::kDone)
      << "the old address is better than none";
  EXPECT_EQ(second.store.applied(), 1U);
}

TEST(RemoteStore, BeginsWithoutAddressesAndAnswersAtOnceWhileItHasNone) {
  Served there;
  RemoteOptions options;
  options.timeout = milliseconds(5000);
  options.servers.servers = {*ServerSpec::parse("fuzzy.example:11335")};
  const auto store =
      std::move(RemoteStore::open_by_address(options, system_clock(), system_random()).value());
  EXPECT_TRUE(store->lacks_addresses());
  for (const Kind kind : {Kind::kCheck, Kind::kAdd, Kind::kStat}) {
    const RemoteAnswer answer = ask_one(*store, request(kind));
    EXPECT_EQ(answer.outcome, Outcome::kUnreachable);
    EXPECT_EQ(answer.error, "the server's name was not found");
  }
  store->probe();  // there is no address to probe
  MovingNames names;
  EXPECT_FALSE(store->look_up(names)[0].has_address);
  names.addresses = *SocketAddress::resolve(there.spec());
  EXPECT_TRUE(store->look_up(names)[0].status);
  EXPECT_FALSE(store->lacks_addresses());
  EXPECT_EQ(ask_one(*store, request(Kind::kAdd)).outcome, Outcome::kDone);
}

TEST(RemoteStore, AsksTheServersWithAnAddressWhileANameIsLost) {
  Served there;
  RemoteOptions options;
  options.timeout = milliseconds(5000);
  options.servers.servers = {*ServerSpec::parse("fuzzy.example:11335"), {there.spec(), {}, 1}};
  const auto store =
      std::move(RemoteStore::open_by_address(options, system_clock(), system_random()).value());
  for (int turn = 0; turn < 3; ++turn)
    EXPECT_EQ(ask_one(*store, request(Kind::kCheck)).outcome, Outcome::kMiss);
  EXPECT_EQ(ask_one(*store, request(Kind::kAdd)).outcome, Outcome::kUnreachable)
      << "all servers must be taught, and one was not";
  EXPECT_EQ(there.store.applied(), 1U);
}

}  // namespace
}  // namespace shingled::storage::client
