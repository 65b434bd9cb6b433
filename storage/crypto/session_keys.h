#pragma once

#include <optional>

#include "config/options/storage_options.h"
#include "storage/crypto/packet_cipher.h"

namespace shingled::storage::crypto {

/// The two keys of one connection, one for each direction. The connection is between two servers
/// that know each other's public keys.
struct SessionKeys {
  SharedKey from_caller;
  SharedKey from_called;
};

/// The keys that one side has: its own lasting pair, its own fresh pair (made for this connection),
/// and the two public keys of the other side.
struct SessionSide {
  const Keypair& own;
  const Keypair& own_fresh;
  const PublicKey& peer;
  const PublicKey& peer_fresh;
};

/// Both sides compute the same keys only if each has the secret keys of the public keys that it
/// shows. Three shared keys are used: fresh with fresh, so a recorded connection cannot be read
/// when a lasting key is stolen later; and lasting with fresh in both directions, so each side
/// proves its name. The result is BLAKE2b-512 of a label, the three shared keys and the four public
/// keys; its first 32 bytes are `from_caller`. The pattern is Noise KK without its static-static
/// step. Returns nullopt for a public key of low order.
///
/// Threads: stateless.
/// Cost: three key agreements, 0.2 ms.
std::optional<SessionKeys> caller_session_keys(const SessionSide& caller);
std::optional<SessionKeys> called_session_keys(const SessionSide& called);

}  // namespace shingled::storage::crypto
