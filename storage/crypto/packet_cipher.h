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

// The cipher of the wire (PROTOCOL.md 3.3): XChaCha20-Poly1305 with the payload from
// keystream byte 64 on and a tag over the ciphertext alone. libsodium's boxes do not interoperate
// with it, so it is put together from its stream and its one-time authenticator; with `keyring`
// this is the only place that knows libsodium.
//
// Threads: stateless.
// Cost: no allocation; `shared_key` tens of microseconds, the rest below one.

using PublicKey = std::array<std::uint8_t, 32>;
using SharedKey = Secret<32>;
using Nonce = std::array<std::uint8_t, 24>;

/// A sealed message is nonce (24), tag (16), ciphertext.
inline constexpr std::size_t kSealBytes = 40;

/// The key both sides arrive at. Nothing for a public key of low order (the shared point is zero).
std::optional<SharedKey> shared_key(const SecretKey& own, const PublicKey& peer);

/// Seals `message` into `out` and returns kSealBytes + message.size(); 0 if it does not fit. The
/// nonce must be random: nothing else separates two messages under one key. `message` and `out` do
/// not overlap.
std::size_t seal(const SharedKey& key, const Nonce& nonce, BytesView message,
                 std::span<std::uint8_t> out);

/// Opens a sealed message into `out` and returns the length of the message; nothing for a wrong
/// tag, and then `out` is untouched. Nothing also when it is too short or does not fit.
std::optional<std::size_t> open(const SharedKey& key, BytesView sealed,
                                std::span<std::uint8_t> out);

/// Nonces in stock: asking the kernel for 24 bytes costs more than sealing a reply, so it is asked
/// for many at a time.
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

/// A short name for some bytes: nobody finds other bytes of the same name. The same on every day,
/// for it is stored. BLAKE2b, 128 bits.
UpdateName message_name(BytesView bytes);

}  // namespace shingled::storage::crypto
