#include "mime/fingerprint/keyed_hash.h"

#include <sodium.h>

#include "config/base/assert.h"
#include "mime/fingerprint/mumhash.h"

namespace shingled::fingerprint {

static_assert(kDigestBytes == crypto_generichash_BYTES_MAX);
static_assert(kHashKeyBytes == crypto_generichash_KEYBYTES_MAX);
static_assert(kSipKeyBytes == crypto_shorthash_KEYBYTES);

namespace {

/// Lets libsodium choose its fastest implementation; without it BLAKE2b runs the portable one.
void initialise_once() {
  static const int ready = sodium_init();
  SHINGLED_ASSERT(ready >= 0);
  static_cast<void>(ready);
}

const unsigned char* data_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

Digest keyed_hash(KeyView key, std::initializer_list<std::string_view> pieces) {
  SHINGLED_ASSERT(key.size() <= kHashKeyBytes);
  initialise_once();
  Digest digest;
  crypto_generichash_state state;
  crypto_generichash_init(&state, key.empty() ? nullptr : key.data(), key.size(), kDigestBytes);
  for (const std::string_view piece : pieces) {
    if (!piece.empty()) crypto_generichash_update(&state, data_of(piece), piece.size());
  }
  crypto_generichash_final(&state, digest.bytes.data(), digest.bytes.size());
  return digest;
}

std::array<std::uint8_t, 32> sha256(std::string_view data) {
  static_assert(crypto_hash_sha256_BYTES == 32);
  std::array<std::uint8_t, 32> out{};
  crypto_hash_sha256(out.data(), data_of(data), data.size());
  return out;
}

struct Sha256::State {
  crypto_hash_sha256_state hash;
};

Sha256::Sha256() : state_(std::make_unique<State>()) { crypto_hash_sha256_init(&state_->hash); }
Sha256::~Sha256() = default;

void Sha256::add(std::string_view data) {
  crypto_hash_sha256_update(&state_->hash, data_of(data), data.size());
}

std::array<std::uint8_t, 32> Sha256::finish() {
  std::array<std::uint8_t, 32> out{};
  crypto_hash_sha256_final(&state_->hash, out.data());
  return out;
}

std::uint64_t siphash(std::span<const std::uint8_t, kSipKeyBytes> key, std::string_view data) {
  std::uint8_t out[crypto_shorthash_BYTES];
  static_assert(sizeof out == sizeof(std::uint64_t));
  crypto_shorthash(out, data_of(data), data.size(), key.data());
  return load_bytes(reinterpret_cast<const char*>(out));
}

}  // namespace shingled::fingerprint
