#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "config/base/byte_reader.h"
#include "config/base/random.h"
#include "config/base/secret.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::storage::crypto {

// The cipher of the wire (PROTOCOL.md 3.3): XChaCha20-Poly1305. The payload uses the keystream from
// byte 64 on, and the tag covers only the ciphertext. The boxes of libsodium have another format,
// so this code uses libsodium's stream cipher and one-time authenticator.
//
// Threads: stateless.
// Cost: no allocation. `shared_key` takes tens of microseconds, the other functions less than one.

using PublicKey = std::array<std::uint8_t, 32>;
using SharedKey = Secret<32>;
using Nonce = std::array<std::uint8_t, 24>;

/// The bytes that a sealed message has before its ciphertext: nonce (24) and tag (16).
inline constexpr std::size_t kSealBytes = 40;

/// The key that both sides compute. Returns nullopt for a public key of low order (the shared point
/// is zero).
std::optional<SharedKey> shared_key(const SecretKey& own, const PublicKey& peer);

/// Seals `message` into `out` and returns kSealBytes + message.size(), or 0 if `out` is too small.
/// The nonce must be random, because two messages with one key differ only by their nonces.
/// `message` and `out` must not overlap.
std::size_t seal(const SharedKey& key, const Nonce& nonce, BytesView message,
                 std::span<std::uint8_t> out);

/// Opens a sealed message into `out` and returns the length of the message. Returns nullopt if the
/// tag is wrong, the sealed message is too short, or `out` is too small; then `out` is unchanged.
std::optional<std::size_t> open(const SharedKey& key, BytesView sealed,
                                std::span<std::uint8_t> out);

/// A stock of random nonces. Getting 24 bytes from the kernel costs more than sealing a reply, so
/// this class gets many nonces at a time.
/// Threads: one thread.
class NonceSource {
 public:
  explicit NonceSource(Random& random) : random_(&random) {}

  Nonce next() {
    if (at_ == stock_.size()) {
      random_->fill({stock_.front().data(), sizeof stock_});
      at_ = 0;
    }
    return stock_[at_++];
  }

 private:
  static constexpr std::size_t kStock = 64;
  static_assert(sizeof(std::array<Nonce, kStock>) == kStock * std::tuple_size_v<Nonce>);

  Random* random_;
  std::array<Nonce, kStock> stock_{};
  std::size_t at_ = kStock;
};

/// A short id for some bytes: BLAKE2b, 128 bits. Nobody can find other bytes with the same id.
/// Ids are stored, so the function must never change.
UpdateId content_id(BytesView bytes);

}  // namespace shingled::storage::crypto
