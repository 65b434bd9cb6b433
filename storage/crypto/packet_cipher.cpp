#include "storage/crypto/packet_cipher.h"

#include <sodium.h>

#include <cstring>

namespace shingled::storage {

namespace {

constexpr std::size_t kTagAt = crypto_stream_xchacha20_NONCEBYTES;
constexpr std::size_t kTagBytes = crypto_onetimeauth_poly1305_BYTES;
constexpr std::uint64_t kPayloadBlock = 1;  // block 0 makes the key of the tag; its rest is unused
static_assert(kTagAt + kTagBytes == kSealBytes);
static_assert(crypto_box_curve25519xchacha20poly1305_BEFORENMBYTES == SharedKey::size());
static_assert(std::tuple_size_v<PublicKey> ==
              crypto_box_curve25519xchacha20poly1305_PUBLICKEYBYTES);
static_assert(std::tuple_size_v<Nonce> == crypto_stream_xchacha20_NONCEBYTES);

// Chooses the processor's fastest code; before it libsodium works, but slowly.
const bool kSodiumReady = sodium_init() >= 0;

using TagKey = Secret<crypto_onetimeauth_poly1305_KEYBYTES>;

TagKey tag_key(const SharedKey& key, const std::uint8_t* nonce) {
  TagKey out;
  crypto_stream_xchacha20(out.reveal(), TagKey::size(), nonce, key.reveal());
  return out;
}

}  // namespace

std::optional<SharedKey> shared_key(const SecretKey& own, const PublicKey& peer) {
  SharedKey key;
  if (!kSodiumReady || crypto_box_curve25519xchacha20poly1305_beforenm(key.reveal(), peer.data(),
                                                                       own.reveal()) != 0) {
    return std::nullopt;
  }
  return key;
}

std::size_t seal(const SharedKey& key, const Nonce& nonce, BytesView message,
                 std::span<std::uint8_t> out) {
  const std::size_t length = kSealBytes + message.size();
  if (out.size() < length) return 0;
  std::uint8_t* const ciphertext = out.data() + kSealBytes;
  std::memcpy(out.data(), nonce.data(), nonce.size());
  if (!message.empty()) {
    crypto_stream_xchacha20_xor_ic(ciphertext, message.data(), message.size(), nonce.data(),
                                   kPayloadBlock, key.reveal());
  }
  crypto_onetimeauth_poly1305(out.data() + kTagAt, ciphertext, message.size(),
                              tag_key(key, nonce.data()).reveal());
  return length;
}

std::optional<std::size_t> open(const SharedKey& key, BytesView sealed,
                                std::span<std::uint8_t> out) {
  if (sealed.size() < kSealBytes || sealed.size() - kSealBytes > out.size()) return std::nullopt;
  const std::uint8_t* const nonce = sealed.data();
  const BytesView ciphertext = sealed.subspan(kSealBytes);
  if (crypto_onetimeauth_poly1305_verify(sealed.data() + kTagAt, ciphertext.data(),
                                         ciphertext.size(), tag_key(key, nonce).reveal()) != 0) {
    return std::nullopt;
  }
  if (!ciphertext.empty()) {
    crypto_stream_xchacha20_xor_ic(out.data(), ciphertext.data(), ciphertext.size(), nonce,
                                   kPayloadBlock, key.reveal());
  }
  return ciphertext.size();
}

}  // namespace shingled::storage
