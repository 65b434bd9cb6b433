#include "storage/crypto/packet_cipher.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace shingled::storage::crypto {

namespace {

constexpr std::size_t kTagAt = crypto_stream_xchacha20_NONCEBYTES;
constexpr std::size_t kTagBytes = crypto_onetimeauth_poly1305_BYTES;
constexpr std::size_t kBlock = 64;           // of the keystream; block 0 gives the key of the tag
constexpr std::size_t kStride = 4 * kBlock;  // libsodium computes four blocks at once
static_assert(kTagAt + kTagBytes == kSealBytes);
static_assert(crypto_box_curve25519xchacha20poly1305_BEFORENMBYTES == SharedKey::size());
static_assert(std::tuple_size_v<PublicKey> ==
              crypto_box_curve25519xchacha20poly1305_PUBLICKEYBYTES);
static_assert(std::tuple_size_v<Nonce> == crypto_stream_xchacha20_NONCEBYTES);

// Selects the fastest code for the processor. Without this call libsodium works, but slowly.
const bool kSodiumReady = sodium_init() >= 0;

/// The keystream of one message, to encrypt or to decrypt it.
///
/// One call computes the key of the tag and the first bytes of the message, in whole strides. Two
/// calls of XChaCha20 would cost a second HChaCha20 and, for less than a stride, the slow code of
/// libsodium. A command with shingles just fits into these first bytes.
class Keystream {
 public:
  Keystream(const SharedKey& key, const std::uint8_t* nonce, BytesView message)
      : nonce_(nonce + crypto_core_hchacha20_INPUTBYTES),
        head_(message.first(std::min(message.size(), kHeadMax))),
        rest_(message.subspan(head_.size())) {
    crypto_core_hchacha20(key_.reveal(), nonce, key.reveal(), nullptr);
    if (!head_.empty()) std::memcpy(&blocks_[kBlock], head_.data(), head_.size());
    const std::size_t bytes = (kBlock + head_.size() + kStride - 1) / kStride * kStride;
    crypto_stream_chacha20_xor_ic(blocks_.data(), blocks_.data(), bytes, nonce_, 0, key_.reveal());
  }
  // The blocks after the first one show nothing about a key.
  ~Keystream() { sodium_memzero(blocks_.data(), kBlock); }
  Keystream(const Keystream&) = delete;
  Keystream& operator=(const Keystream&) = delete;
  Keystream(Keystream&&) = delete;
  Keystream& operator=(Keystream&&) = delete;

  [[nodiscard]] const std::uint8_t* tag_key() const { return blocks_.data(); }
  /// Writes the encrypted or decrypted message to `out`, which must have room for it.
  void write(std::uint8_t* out) const {
    if (!head_.empty()) std::memcpy(out, &blocks_[kBlock], head_.size());
    if (rest_.empty()) return;
    crypto_stream_chacha20_xor_ic(out + head_.size(), rest_.data(), rest_.size(), nonce_, kBlocks,
                                  key_.reveal());
  }

 private:
  static constexpr std::size_t kBlocks = 8;
  static constexpr std::size_t kHeadMax = (kBlocks - 1) * kBlock;
  static_assert(kBlocks * kBlock % kStride == 0);

  Secret<crypto_core_hchacha20_OUTPUTBYTES> key_;
  const std::uint8_t* nonce_;
  BytesView head_;
  BytesView rest_;
  std::array<std::uint8_t, kBlocks * kBlock> blocks_{};
};

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
  const Keystream keystream(key, nonce.data(), message);
  keystream.write(ciphertext);
  crypto_onetimeauth_poly1305(out.data() + kTagAt, ciphertext, message.size(), keystream.tag_key());
  return length;
}

std::optional<std::size_t> open(const SharedKey& key, BytesView sealed,
                                std::span<std::uint8_t> out) {
  if (sealed.size() < kSealBytes || sealed.size() - kSealBytes > out.size()) return std::nullopt;
  const BytesView ciphertext = sealed.subspan(kSealBytes);
  const Keystream keystream(key, sealed.data(), ciphertext);
  if (crypto_onetimeauth_poly1305_verify(sealed.data() + kTagAt, ciphertext.data(),
                                         ciphertext.size(), keystream.tag_key()) != 0) {
    return std::nullopt;
  }
  keystream.write(out.data());
  return ciphertext.size();
}

static_assert(std::tuple_size_v<UpdateId> == crypto_generichash_BYTES_MIN);

UpdateId content_id(BytesView bytes) {
  UpdateId name{};
  crypto_generichash(name.data(), name.size(), bytes.data(), bytes.size(), nullptr, 0);
  return name;
}

}  // namespace shingled::storage::crypto
