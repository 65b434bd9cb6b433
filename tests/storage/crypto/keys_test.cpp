// Covers storage/crypto/keypair.cpp, storage/crypto/shared_key_cache.cpp,
// storage/crypto/packet_cipher.cpp: names.
#include <gtest/gtest.h>

#include <algorithm>

#include "config/base/zbase32.h"
#include "storage/crypto/keypair.h"
#include "storage/crypto/shared_key_cache.h"
#include "tests/support/seeded_random.h"
#include "tests/support/wire_vectors.h"

namespace shingled::storage::crypto {
namespace {

using testing::bytes_of;
using testing::keypair_of;
using testing::SeededRandom;
using testing::wire_vectors;

TEST(Keypair, AgreesWithTheVectors) {
  SHINGLED_NEED_WIRE_VECTORS();
  for (const auto& [name, key] : wire_vectors()->at("keys").items()) {
    SCOPED_TRACE(name);
    const Keypair pair = keypair_of(name);
    EXPECT_EQ(public_key_of(pair.secret_key), pair.public_key);
    EXPECT_EQ(to_zbase32(pair.public_key), key.at("pubkey_zbase32").get<std::string>());
    EXPECT_EQ(from_zbase32(key.at("privkey_zbase32").get<std::string>()),
              bytes_of(key.at("privkey_hex")));
    if (!key.contains("id_hex")) continue;
    EXPECT_EQ(to_hex(long_key_id(pair.public_key)), key.at("id_hex").get<std::string>());
    EXPECT_EQ(to_hex(key_id(pair.public_key)), key.at("key_id_on_wire_hex").get<std::string>());
    EXPECT_NE(to_ucl(pair).find(key.at("id_zbase32").get<std::string>()), std::string::npos);
  }
}

TEST(Zbase32, AgreesWithTheVectors) {
  SHINGLED_NEED_WIRE_VECTORS();
  for (const nlohmann::json& vector : wire_vectors()->at("zbase32")) {
    const Bytes bytes = bytes_of(vector.at("hex"));
    const auto text = vector.at("zbase32").get<std::string>();
    EXPECT_EQ(to_zbase32(bytes), text);
    EXPECT_EQ(from_zbase32(text), bytes);
  }
}

TEST(Keypair, IsClampedAndItsKeysBelongTogether) {
  SeededRandom random(1);
  for (int i = 0; i < 20; ++i) {
    const Keypair pair = generate_keypair(random);
    EXPECT_EQ(pair.secret_key.reveal()[0] & 7, 0);
    EXPECT_EQ(pair.secret_key.reveal()[31] & 0xc0, 0x40);
    EXPECT_TRUE(Keyring::make({pair}));
  }
}

TEST(Keypair, IsWrittenForBothKindsOfConfiguration) {
  SeededRandom random(1);
  const Keypair pair = generate_keypair(random);
  const std::string public_text = to_zbase32(pair.public_key);
  const std::string secret_text = to_zbase32({pair.secret_key.reveal(), SecretKey::size()});
  EXPECT_NE(to_ucl(pair).find("pubkey = \"" + public_text + "\";"), std::string::npos);
  EXPECT_NE(to_ucl(pair).find("privkey = \"" + secret_text + "\";"), std::string::npos);
  EXPECT_EQ(to_yaml(pair),
            "keypair:\n  - pubkey: " + public_text + "\n    privkey: " + secret_text + "\n");
}

TEST(Keyring, FindsAPairByEightBytesAndElseTheLastPair) {
  SeededRandom random(2);
  const Keypair first = generate_keypair(random);
  const Keypair last = generate_keypair(random);
  const auto ring = Keyring::make({first, last});
  ASSERT_TRUE(ring);
  EXPECT_EQ(*ring->find(key_id(first.public_key)), first);
  EXPECT_EQ(*ring->find(key_id(last.public_key)), last);
  EXPECT_EQ(*ring->find(KeyId{}), last);
  EXPECT_EQ(Keyring::make({})->find(KeyId{}), nullptr);
}

TEST(Keyring, RefusesInvalidKeys) {
  SeededRandom random(3);
  const Keypair pair = generate_keypair(random);
  EXPECT_EQ(Keyring::make({pair, pair}).error().code, ErrorCode::kInvalid);
  Keypair wrong = pair;
  wrong.public_key[20] ^= 1;
  EXPECT_EQ(Keyring::make({wrong}).error().code, ErrorCode::kInvalid);
}

TEST(Keyring, NeverShowsWhatMayBeThePrivateKey) {
  SeededRandom random(4);
  Keypair swapped = generate_keypair(random);
  const PublicKey public_key = swapped.public_key;
  std::copy_n(swapped.secret_key.reveal(), swapped.public_key.size(), swapped.public_key.begin());
  swapped.secret_key = SecretKey(public_key);
  const auto ring = Keyring::make({swapped});
  ASSERT_FALSE(ring);
  EXPECT_EQ(ring.error().message.find(to_zbase32(swapped.public_key)), std::string::npos);
}

PublicKey client(std::uint8_t number) {
  PublicKey key{};
  key.fill(number);
  return key;
}

SharedKey key(std::uint8_t number) { return SharedKey(client(number)); }

constexpr TimePoint kThen{std::chrono::hours(1)};

TEST(SharedKeyCache, DropsTheLeastRecentlyUsed) {
  SharedKeyCache cache(8);  // two of them for new keys
  cache.keep(KeyId{}, client(1), key(1), 0, kThen);
  cache.keep(KeyId{}, client(2), key(2), 0, kThen);
  cache.keep(KeyId{}, client(3), key(3), 0, kThen);
  EXPECT_EQ(cache.size(), 2U);
  EXPECT_EQ(cache.find(KeyId{}, client(1), kThen), nullptr);
  ASSERT_NE(cache.find(KeyId{}, client(2), kThen), nullptr);
  EXPECT_EQ(cache.find(KeyId{}, client(2), kThen)->reveal()[0], 2);
  EXPECT_EQ(cache.find(KeyId{9}, client(2), kThen), nullptr)
      << "another server key has another shared key";
}

TEST(SharedKeyCache, WithCapacityZeroKeepsNothing) {
  SharedKeyCache cache(0);
  cache.keep(KeyId{}, client(1), key(1), 0, kThen);
  EXPECT_EQ(cache.find(KeyId{}, client(1), kThen), nullptr);
}

TEST(SharedKeyCache, NeverDropsAKeyInUse) {
  SharedKeyCache cache(64);
  const auto come = [&](std::uint8_t number, std::uint64_t source, int times) {
    for (int i = 0; i < times; ++i) {
      if (cache.find(KeyId{}, client(number), kThen) == nullptr)
        cache.keep(KeyId{}, client(number), key(number), source, kThen);
    }
  };
  for (std::uint8_t number = 0; number < 6; ++number) come(number, 1, 2);
  for (int number = 6; number < 250; ++number) come(static_cast<std::uint8_t>(number), 2, 1);
  for (int number = 6; number < 250; ++number)
    come(static_cast<std::uint8_t>(number), static_cast<std::uint64_t>(number), 3);
  EXPECT_EQ(cache.size(), 64U);
  for (std::uint8_t number = 0; number < 6; ++number)
    EXPECT_NE(cache.find(KeyId{}, client(number), kThen), nullptr) << int{number};
}

TEST(SharedKeyCache, LimitsASourceToItsShareAndReusesIdlePlaces) {
  SharedKeyCache cache(64);  // 16 on probation and 48 others; a source may have 6 of these
  const auto come = [&](std::uint8_t number, std::uint64_t source, TimePoint now) {
    cache.keep(KeyId{}, client(number), key(number), source, now);
    (void)cache.find(KeyId{}, client(number), now);
  };
  for (std::uint8_t number = 0; number < 100; ++number) come(number, 7, kThen);
  EXPECT_EQ(cache.size(), 16U + 6U) << "one source by itself";
  EXPECT_NE(cache.find(KeyId{}, client(0), kThen), nullptr) << "an admitted key stays";
  for (std::uint8_t number = 100; number < 200; ++number) come(number, 0, kThen);
  EXPECT_EQ(cache.size(), 64U) << "source 0 may have all free places";
  EXPECT_NE(cache.find(KeyId{}, client(0), kThen), nullptr);
  const TimePoint later = kThen + SharedKeyCache::kIdle;
  EXPECT_NE(cache.find(KeyId{}, client(1), later), nullptr);
  for (std::uint8_t number = 200; number < 248; ++number) come(number, 0, later);
  EXPECT_EQ(cache.find(KeyId{}, client(0), later), nullptr) << "not used for long enough";
  EXPECT_NE(cache.find(KeyId{}, client(1), later), nullptr) << "in use";
}

TEST(SealName, DiffersForDifferentBytes) {
  Bytes packet(200, 5);
  packet[7] = 77;
  const std::uint64_t name = seal_id(packet);
  EXPECT_EQ(seal_id(packet), name);
  packet[3] ^= 1;
  EXPECT_NE(seal_id(packet), name) << "another nonce";
  packet[3] ^= 1;
  packet[24] ^= 1;
  EXPECT_NE(seal_id(packet), name) << "another tag";
  EXPECT_NE(seal_id(Bytes(200)), 0U);
}

}  // namespace
}  // namespace shingled::storage::crypto
