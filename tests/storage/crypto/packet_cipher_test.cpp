#include "storage/crypto/packet_cipher.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "storage/crypto/keypair.h"
#include "tests/support/wire_vectors.h"

namespace shingled::storage::crypto {
namespace {

using testing::array_of;
using testing::bytes_of;
using testing::keypair_of;
using testing::wire_vectors;

std::string hex_of(const SharedKey& key) { return to_hex({key.reveal(), SharedKey::size()}); }

SharedKey key_of(const nlohmann::json& packet) {
  return SharedKey(array_of<32>(packet.at("shared_key_hex")));
}

SharedKey test_key() {
  std::array<std::uint8_t, 32> bytes{};
  bytes.fill(7);
  return SharedKey(bytes);
}

TEST(PacketCipher, AgreesWithTheUnitVector) {
  SHINGLED_NEED_WIRE_VECTORS();
  const nlohmann::json& vector = wire_vectors()->at("crypto");
  const Keypair server = keypair_of(vector.at("server"));
  const Keypair client = keypair_of(vector.at("client"));
  const auto key = shared_key(client.secret_key, server.public_key);
  ASSERT_TRUE(key);
  EXPECT_EQ(hex_of(*key), vector.at("shared_key_hex").get<std::string>());
  EXPECT_EQ(hex_of(*shared_key(server.secret_key, client.public_key)), hex_of(*key));

  const Bytes plain = bytes_of(vector.at("plaintext_hex"));
  Bytes sealed(kSealBytes + plain.size());
  ASSERT_EQ(seal(*key, array_of<24>(vector.at("nonce_hex")), plain, sealed), sealed.size());
  EXPECT_EQ(to_hex(sealed), vector.at("nonce_hex").get<std::string>() +
                                vector.at("mac_hex").get<std::string>() +
                                vector.at("ciphertext_hex").get<std::string>());
}

TEST(PacketCipher, OpensAndSealsEveryRecordedPacketByteForByte) {
  SHINGLED_NEED_WIRE_VECTORS();
  int checked = 0;
  for (const char* list : {"packets", "client_captures"}) {
    for (const nlohmann::json& packet : wire_vectors()->at(list)) {
      if (!packet.at("encrypted").get<bool>()) continue;
      SCOPED_TRACE(packet.value("name", packet.at("packet_hex").get<std::string>()));
      const Bytes bytes = bytes_of(packet.at("packet_hex"));
      const Bytes plain = bytes_of(packet.at("plaintext_hex"));
      const SharedKey key = key_of(packet);
      const bool is_request = packet.at("direction") == "request";
      const auto request = parse_sealed_request(bytes);
      ASSERT_EQ(request.has_value(), is_request);
      const BytesView sealed = is_request ? request->sealed : BytesView(bytes);

      Bytes opened(plain.size());
      EXPECT_EQ(open(key, sealed, opened), plain.size());
      EXPECT_EQ(opened, plain);
      Bytes again(bytes.size());
      const auto nonce = array_of<24>(sealed.first(24));
      if (is_request) {
        const Keypair server = keypair_of(packet.at("keys").at("server"));
        EXPECT_EQ(request->key, key_id(server.public_key));
        EXPECT_EQ(hex_of(*shared_key(server.secret_key, request->client)), hex_of(key));
        EXPECT_EQ(seal_request(server.public_key, request->client, key, nonce, plain, again),
                  again.size());
      } else {
        EXPECT_EQ(seal(key, nonce, plain, again), again.size());
      }
      EXPECT_EQ(again, bytes);
      ++checked;
    }
  }
  EXPECT_GT(checked, 50);
}

TEST(PacketCipher, RefusesEveryFlippedBitAndEveryTruncation) {
  const Bytes message(76, 0x5a);
  Bytes sealed(kSealBytes + message.size());
  ASSERT_EQ(seal(test_key(), Nonce{1, 2, 3}, message, sealed), sealed.size());
  Bytes out(message.size(), 0);
  for (std::size_t bit = 0; bit < sealed.size() * 8; ++bit) {
    sealed[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    EXPECT_FALSE(open(test_key(), sealed, out)) << bit;
    sealed[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
  }
  for (std::size_t length = 0; length < sealed.size(); ++length) {
    EXPECT_FALSE(open(test_key(), BytesView(sealed).first(length), out)) << length;
  }
  EXPECT_EQ(out, Bytes(message.size(), 0)) << "a refused message must not reach the output";
  EXPECT_TRUE(open(test_key(), sealed, out));
  EXPECT_EQ(out, message);
}

// The recorded packets are short. The keystream must be the same for any length, even though the
// implementation works in steps.
TEST(PacketCipher, SealsAndOpensEveryLength) {
  constexpr std::size_t kLongest = 1100;
  const Nonce nonce{4, 5, 6};
  const Bytes longest(kLongest, 0x3c);
  Bytes whole(kSealBytes + kLongest);
  ASSERT_EQ(seal(test_key(), nonce, longest, whole), whole.size());
  for (std::size_t length = 0; length <= kLongest; ++length) {
    const BytesView message = BytesView(longest).first(length);
    Bytes sealed(kSealBytes + length);
    ASSERT_EQ(seal(test_key(), nonce, message, sealed), sealed.size());
    ASSERT_TRUE(std::ranges::equal(BytesView(sealed).subspan(kSealBytes),
                                   BytesView(whole).subspan(kSealBytes, length)))
        << length;
    Bytes opened(length);
    ASSERT_EQ(open(test_key(), sealed, opened), length);
    ASSERT_TRUE(std::ranges::equal(opened, message)) << length;
  }
}

TEST(PacketCipher, ChecksTheSizeOfTheOutput) {
  const Bytes message(76);
  Bytes small(kSealBytes + message.size() - 1);
  EXPECT_EQ(seal(test_key(), Nonce{}, message, small), 0U);
  Bytes sealed(kSealBytes + message.size());
  ASSERT_NE(seal(test_key(), Nonce{}, message, sealed), 0U);
  Bytes out(message.size() - 1);
  EXPECT_FALSE(open(test_key(), sealed, out));
  EXPECT_EQ(seal_request(PublicKey{}, PublicKey{}, test_key(), Nonce{}, message, small), 0U);
}

TEST(PacketCipher, RefusesAPublicKeyOfLowOrder) {
  std::array<std::uint8_t, 32> secret{};
  secret.fill(0x42);
  EXPECT_FALSE(shared_key(SecretKey(secret), PublicKey{}));
}

TEST(SealedRequest, IsRecognisedByMagicAndLength) {
  Bytes packet(kSealedRequestBytesMin);
  EXPECT_FALSE(parse_sealed_request(packet));
  std::copy_n("rsfe", 4, packet.begin());
  EXPECT_TRUE(parse_sealed_request(packet));
  packet.pop_back();
  EXPECT_FALSE(parse_sealed_request(packet));
}

}  // namespace
}  // namespace shingled::storage::crypto
