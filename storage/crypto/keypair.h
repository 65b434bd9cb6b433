#pragma once

#include <array>
#include <string>

#include "config/base/random.h"
#include "config/options/storage_options.h"
#include "storage/crypto/packet_cipher.h"

namespace shingled::storage::crypto {

/// A new pair for a server or a client.
Keypair generate_keypair(Random& random);

/// The public key that belongs to a secret one.
PublicKey public_key_of(const SecretKey& secret);

/// BLAKE2b-512 of the public key: the name of a key in lists of allowed keys.
std::array<std::uint8_t, 64> long_key_id(const PublicKey& key);

/// A pair as text, secret included, for the two kinds of configuration file: rspamd's UCL, and ours
/// in YAML. Keys are in z-base-32.
std::string to_ucl(const Keypair& keypair);
std::string to_yaml(const Keypair& keypair);

}  // namespace shingled::storage::crypto
