#pragma once

#include <optional>

#include "config/options/storage_options.h"
#include "storage/crypto/packet_cipher.h"

namespace shingled::storage::crypto {

/// The two keys of one connection between two servers that know each other's public keys, one for
/// each direction.
struct SessionKeys {
  SharedKey from_caller;
  SharedKey from_called;
};

/// Who has which keys on one side: its own lasting pair and the one made for this connection, and
/// the other side's two public keys.
struct SessionSide {
  const Keypair& own;
  const Keypair& own_fresh;
  const PublicKey& peer;
  const PublicKey& peer_fresh;
};

/// Both sides arrive at the same keys iff each has the secret keys of what it shows: fresh with
/// fresh (so a recorded connection stays closed when a lasting key is stolen later), lasting with
/// fresh both ways (so each side is who it says). BLAKE2b-512 of a label, the three shared keys and
/// the four public ones; the first 32 bytes are the caller's. The pattern is Noise KK without its
/// static-static step. Nothing for a public key of low order.
///
/// Threads: stateless.
/// Cost: three key agreements, 0.2 ms.
std::optional<SessionKeys> caller_session_keys(const SessionSide& caller);
std::optional<SessionKeys> called_session_keys(const SessionSide& called);

}  // namespace shingled::storage::crypto
