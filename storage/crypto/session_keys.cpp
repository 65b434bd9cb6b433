#include "storage/crypto/session_keys.h"

#include <sodium.h>

#include <array>
#include <string_view>

namespace shingled::storage::crypto {
namespace {

constexpr std::string_view kLabel = "shingled replication 1";

/// Mixes the keys. Their order is that of the caller: fresh-fresh, lasting-fresh, fresh-lasting;
/// then the public keys.
SessionKeys mix(const std::array<const SharedKey*, 3>& shared,
                const std::array<const PublicKey*, 4>& shown) {
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, crypto_generichash_BYTES_MAX);
  crypto_generichash_update(&state, as_bytes(kLabel).data(), kLabel.size());
  for (const SharedKey* key : shared) {
    crypto_generichash_update(&state, key->reveal(), SharedKey::size());
  }
  for (const PublicKey* key : shown) crypto_generichash_update(&state, key->data(), key->size());
  Secret<crypto_generichash_BYTES_MAX> both;
  crypto_generichash_final(&state, both.reveal(), crypto_generichash_BYTES_MAX);
  sodium_memzero(&state, sizeof state);
  const std::span<const std::uint8_t> bytes(both.reveal(), crypto_generichash_BYTES_MAX);
  return {SharedKey(bytes.first<32>()), SharedKey(bytes.last<32>())};
}

}  // namespace

std::optional<SessionKeys> caller_session_keys(const SessionSide& caller) {
  const auto fresh = shared_key(caller.own_fresh.secret_key, caller.peer_fresh);
  const auto mine = shared_key(caller.own.secret_key, caller.peer_fresh);
  const auto theirs = shared_key(caller.own_fresh.secret_key, caller.peer);
  if (!fresh || !mine || !theirs) return std::nullopt;
  return mix({&*fresh, &*mine, &*theirs}, {&caller.own.public_key, &caller.own_fresh.public_key,
                                           &caller.peer, &caller.peer_fresh});
}

std::optional<SessionKeys> called_session_keys(const SessionSide& called) {
  const auto fresh = shared_key(called.own_fresh.secret_key, called.peer_fresh);
  const auto theirs = shared_key(called.own_fresh.secret_key, called.peer);
  const auto mine = shared_key(called.own.secret_key, called.peer_fresh);
  if (!fresh || !mine || !theirs) return std::nullopt;
  return mix({&*fresh, &*theirs, &*mine}, {&called.peer, &called.peer_fresh, &called.own.public_key,
                                           &called.own_fresh.public_key});
}

}  // namespace shingled::storage::crypto
