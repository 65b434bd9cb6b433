#include "storage/access/access.h"

#include <gtest/gtest.h>

#include "storage/crypto/keypair.h"
#include "storage/protocol/codec.h"
#include "tests/support/seeded_random.h"

namespace shingled::storage::access {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using testing::SeededRandom;

constexpr WallTime kNow{seconds(1'700'000'000)};
constexpr Moment kMoment{TimePoint(hours(1)), kNow};

IpAddress ip(const char* text) { return *IpAddress::parse(text); }

class AccessTest : public ::testing::Test {
 protected:
  Access make(AccessState* state = nullptr) const { return Access::make(options_, state).value(); }
  /// The rights of the only key.
  static const KeyAccess* key_of(const Access& access) { return access.key(crypto::KeyId{}); }

  SeededRandom random_{5};
  Keypair pair_ = crypto::generate_keypair(random_);
  ServerOptions options_;
};

TEST_F(AccessTest, DecidesWhichClientsMayUpdate) {
  struct Case {
    const char* why;
    bool read_only;
    const char* address;  // in allow_update; null = allow_update is empty
    bool in_keys;         // allow_update_keys has our key
    KeyRights rights;
    bool sealed;
    const char* from;
    bool may_write;
    bool may_delete;
  };
  KeyRights writes;
  writes.may_write = true;
  KeyRights deletes;
  deletes.may_delete = true;
  KeyRights expired = writes;
  expired.expire = kNow;
  KeyRights not_yet = writes;
  not_yet.expire = kNow + seconds(1);
  const Case cases[] = {
      {"a listed address", false, "192.0.2.0/24", false, {}, false, "192.0.2.7", true, true},
      {"another address", false, "192.0.2.0/24", false, {}, false, "192.0.3.7", false, false},
      {"read_only comes first", true, "192.0.2.0/24", true, writes, true, "192.0.2.7", false,
       false},
      {"nothing is configured", false, nullptr, false, {}, false, "127.0.0.1", false, false},
      {"a key without rights", false, nullptr, false, {}, true, "127.0.0.1", false, false},
      {"a listed key", false, nullptr, true, {}, true, "198.51.100.1", true, true},
      {"a listed key, but the request is plain",
       false,
       nullptr,
       true,
       {},
       false,
       "198.51.100.1",
       false,
       false},
      {"addresses are listed: keys do not count", false, "192.0.2.0/24", true, writes, true,
       "198.51.100.1", false, false},
      {"addresses are listed: with or without a key",
       false,
       "192.0.2.0/24",
       false,
       {},
       true,
       "192.0.2.7",
       true,
       true},
      {"a key that may write", false, nullptr, false, writes, true, "198.51.100.1", true, false},
      {"a key that may delete", false, nullptr, false, deletes, true, "198.51.100.1", false, true},
      {"an expired key", false, nullptr, false, expired, true, "198.51.100.1", false, false},
      {"a listed key that is expired", false, nullptr, true, expired, true, "198.51.100.1", false,
       false},
      {"a second before it expires", false, nullptr, false, not_yet, true, "198.51.100.1", true,
       false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.why);
    options_ = {};
    options_.read_only = c.read_only;
    options_.allow_update.clear();
    if (c.address != nullptr) options_.allow_update = {*Network::parse(c.address)};
    if (c.in_keys) options_.allow_update_keys = {crypto::long_key_id(pair_.public_key)};
    options_.keypair = {pair_};
    options_.keypair[0].rights = c.rights;
    const Access access = make();
    const KeyAccess* key = c.sealed ? key_of(access) : nullptr;
    EXPECT_EQ(access.may_update(ip(c.from), key, protocol::CommandCode::kWrite, kNow), c.may_write);
    EXPECT_EQ(access.may_update(ip(c.from), key, protocol::CommandCode::kDelete, kNow),
              c.may_delete);
  }
}

TEST_F(AccessTest, AddressesDecideIfTheyAreInAFile) {
  options_.allow_update.clear();
  options_.keypair = {pair_};
  options_.keypair[0].rights.may_write = true;
  EXPECT_FALSE(make().ignores_keys());
  options_.files.allow_update = {"/a/list"};  // the file may be empty
  const Access access = make();
  EXPECT_TRUE(access.ignores_keys());
  EXPECT_FALSE(
      access.may_update(ip("127.0.0.1"), key_of(access), protocol::CommandCode::kWrite, kNow));
}

TEST_F(AccessTest, RefusesChecksByTheRightsOfTheKey) {
  KeyRights blind;
  blind.may_read = false;
  KeyRights expired;
  expired.expire = kNow;
  KeyRights slow;
  slow.ratelimit = RateOptions{1, 2};
  KeyRights slow_and_blind = slow;
  slow_and_blind.may_read = false;
  const struct {
    const char* why;
    KeyRights rights;
    std::int32_t first, second, third;
  } cases[] = {
      {"allowed by default", {}, 0, 0, 0},
      {"may not read", blind, 503, 503, 503},
      {"expired", expired, 503, 503, 503},
      {"over its rate", slow, 0, 0, 403},
      {"the right is checked before the rate", slow_and_blind, 503, 503, 503},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.why);
    options_.keypair = {pair_};
    options_.keypair[0].rights = c.rights;
    const Access access = make();
    EXPECT_EQ(Access::check_refusal(key_of(access), kMoment), c.first);
    EXPECT_EQ(Access::check_refusal(key_of(access), kMoment), c.second);
    EXPECT_EQ(Access::check_refusal(key_of(access), kMoment), c.third);
    EXPECT_EQ(Access::check_refusal(nullptr, kMoment), 0) << "a plain request";
  }
}

TEST_F(AccessTest, NeverBansAKey) {
  options_.keypair = {pair_};
  options_.keypair[0].rights.ratelimit = RateOptions{1, 2};
  const Access access = make();
  for (int i = 0; i < 50; ++i) (void)Access::check_refusal(key_of(access), kMoment);
  const Moment later{kMoment.steady + seconds(1), kNow};
  EXPECT_EQ(Access::check_refusal(key_of(access), later), 0);
  EXPECT_EQ(Access::check_refusal(key_of(access), later), 403);
}

TEST_F(AccessTest, KeepsTheBucketLevelsAcrossAReload) {
  options_.keypair = {pair_};
  options_.keypair[0].rights.ratelimit = RateOptions{0.001, 2};
  AccessState state;
  const Access before = make(&state);
  EXPECT_EQ(Access::check_refusal(key_of(before), kMoment), 0);
  EXPECT_EQ(Access::check_refusal(key_of(before), kMoment), 0);
  options_.read_only = true;
  const Access after = make(&state);
  EXPECT_EQ(Access::check_refusal(key_of(after), kMoment), 403);
  options_.keypair.clear();
  (void)make(&state);
  EXPECT_TRUE(state.keys.empty()) << "a removed key is forgotten";
}

TEST_F(AccessTest, KeepsTheCountsAcrossAReload) {
  options_.keypair = {pair_};
  options_.keypair[0].rights.name = "alice";
  AccessState state;
  const Access before = make(&state);
  before.tally(key_of(before))->count(0, RequestOutcome::kMatched);
  before.tally(key_of(before))->count(9, RequestOutcome::kMatched);
  before.tally(nullptr)->count(1, RequestOutcome::kRefused);
  options_.read_only = true;
  const auto readings = make(&state).key_readings();
  ASSERT_EQ(readings.size(), 2U);
  EXPECT_EQ(readings[0].id, "none");
  EXPECT_EQ(readings[0].counts.of(RequestOutcome::kRefused), 1U);
  EXPECT_EQ(readings[1].name, "alice");
  EXPECT_EQ(readings[1].id.size(), 13U) << "eight bytes of the public key";
  EXPECT_EQ(readings[1].counts.of(RequestOutcome::kMatched), 2U) << "of two workers";
  options_.keypair.clear();
  EXPECT_EQ(make(&state).key_readings().size(), 1U);
  EXPECT_TRUE(state.tallies.empty()) << "a removed key is forgotten";
}

TEST_F(AccessTest, HidesMatchesByKeyAndAddress) {
  options_.forbidden_ids = {7, 8};
  options_.delay = seconds(60);
  options_.delay_whitelist = {*Network::parse("192.0.2.0/24")};
  Keypair own = crypto::generate_keypair(random_);
  own.rights.forbidden_ids = {9};
  Keypair open = crypto::generate_keypair(random_);
  open.rights.forbidden_ids.emplace();
  options_.keypair = {pair_, own, open};
  const Access access = make();
  const auto visibility = [&](const Keypair* pair, const char* from) {
    return access.visibility_for(
        ip(from), pair == nullptr ? nullptr : access.key(crypto::key_id(pair->public_key)));
  };
  const auto set = [](std::initializer_list<std::size_t> flags) {
    FlagBits bits;
    for (const std::size_t flag : flags) bits.set(flag);
    return bits;
  };
  EXPECT_EQ(visibility(nullptr, "198.51.100.1").forbidden, set({7, 8}));
  EXPECT_EQ(visibility(&pair_, "198.51.100.1").forbidden, set({7, 8}))
      << "a key without its own forbidden lists";
  EXPECT_EQ(visibility(&own, "198.51.100.1").forbidden, set({9}))
      << "its own forbidden lists replace the general ones";
  EXPECT_EQ(visibility(&open, "198.51.100.1").forbidden, set({}))
      << "an empty set allows all lists";
  EXPECT_EQ(visibility(nullptr, "198.51.100.1").delay, seconds(60));
  EXPECT_EQ(visibility(nullptr, "192.0.2.1").delay, seconds(0));
}

TEST_F(AccessTest, KnowsSkippedDigestsAndWeakLists) {
  std::array<std::uint8_t, 64> digest{};
  for (std::uint8_t i = 0; i < 100; ++i) {
    digest.fill(static_cast<std::uint8_t>(i * 37));
    options_.skip_hashes.push_back(digest);
  }
  options_.weak_ids = {0, 255};
  const Access access = make();
  for (const auto& skipped : options_.skip_hashes) EXPECT_TRUE(access.is_skipped(Digest{skipped}));
  digest[63] ^= 1;
  EXPECT_FALSE(access.is_skipped(Digest{digest}));
  EXPECT_TRUE(access.is_weak(0));
  EXPECT_TRUE(access.is_weak(255));
  EXPECT_FALSE(access.is_weak(1));
}

TEST_F(AccessTest, FindsDynamicKeysByNameOnly) {
  const Keypair dynamic = crypto::generate_keypair(random_);
  options_.dynamic_keypair = {dynamic};
  const Access alone = make();
  EXPECT_NE(alone.key(crypto::key_id(dynamic.public_key)), nullptr);
  EXPECT_EQ(alone.key(crypto::KeyId{}), nullptr) << "no default key without a static one";
  options_.keypair = {pair_};
  const Access both = make();
  EXPECT_EQ(both.keyring().find(crypto::KeyId{})->public_key, pair_.public_key);
  EXPECT_EQ(both.keyring().find(crypto::key_id(dynamic.public_key))->public_key,
            dynamic.public_key);
  options_.dynamic_keypair = {pair_};
  options_.dynamic_keypair[0].rights.may_write = true;
  EXPECT_FALSE(make().key(crypto::key_id(pair_.public_key))->may_write)
      << "for a pair in both lists, the static one";
}

}  // namespace
}  // namespace shingled::storage::access
