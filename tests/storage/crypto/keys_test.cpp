#include <gtest/gtest.h>

#include <algorithm>

#include "config/base/zbase32.h"
#include "storage/crypto/keypair.h"
#include "storage/crypto/keyring.h"
#include "storage/crypto/shared_key_cache.h"
#include "tests/support/seeded_random.h"
#include "tests/support/wire_vectors.h"

namespace shingled::storage {
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

TEST(Keypair, IsClampedAndFitsItself) {
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

TEST(Keyring, FindsByTheFirstEightBytesAndFallsBackToTheLast) {
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

TEST(Keyring, RefusesKeysThatCannotWork) {
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

TEST(SharedKeyCache, DropsTheLeastRecentlyUsed) {
  SharedKeyCache cache(2);
  cache.keep(KeyId{}, client(1), key(1));
  cache.keep(KeyId{}, client(2), key(2));
  ASSERT_NE(cache.find(KeyId{}, client(1)), nullptr);
  cache.keep(KeyId{}, client(3), key(3));
  EXPECT_EQ(cache.size(), 2U);
  EXPECT_EQ(cache.find(KeyId{}, client(2)), nullptr);
  ASSERT_NE(cache.find(KeyId{}, client(1)), nullptr);
  EXPECT_EQ(cache.find(KeyId{}, client(1))->reveal()[0], 1);
  EXPECT_EQ(cache.find(KeyId{9}, client(1)), nullptr) << "another server key, another shared key";
}

TEST(SharedKeyCache, OfNoneKeepsNone) {
  SharedKeyCache cache(0);
  cache.keep(KeyId{}, client(1), key(1));
  EXPECT_EQ(cache.find(KeyId{}, client(1)), nullptr);
}

}  // namespace
}  // namespace shingled::storage
