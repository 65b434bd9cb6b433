#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/base/random.h"
#include "config/base/result.h"
#include "config/options/storage_options.h"
#include "storage/crypto/packet_cipher.h"
#include "storage/crypto/sealed_request.h"

namespace shingled::storage::crypto {

/// Makes a new key pair for a server or a client.
Keypair generate_keypair(Random& random);

/// The public key that belongs to a secret one.
PublicKey public_key_of(const SecretKey& secret);

/// The name of a key in lists of allowed keys: BLAKE2b-512 of the public key.
std::array<std::uint8_t, 64> long_key_id(const PublicKey& key);

/// A key pair as text, with its secret key, for a configuration file: UCL for rspamd, YAML for
/// shingled. The keys are in z-base-32.
std::string to_ucl(const Keypair& keypair);
std::string to_yaml(const Keypair& keypair);

/// The key pairs of a server.
/// Threads: immutable, any thread.
/// Cost: a look-up is a binary search.
class Keyring {
 public:
  /// A key pair of `dynamic` is found only by its name; it is never the default. If a pair is in
  /// both lists, the one in `keypairs` is used.
  /// Errors: kInvalid if a public key does not belong to its secret key, or if two public keys
  /// start with the same 8 bytes: a request could not name the second key.
  static Result<Keyring> make(std::vector<Keypair> keypairs, std::vector<Keypair> dynamic = {});

  /// The index in `all` of the key pair that a request names. For an unknown name it is the index
  /// of the default pair, the last one of `keypairs`; nullopt if there is no default pair.
  [[nodiscard]] std::optional<std::size_t> index_of(const KeyId& id) const;
  /// The key pair at `index_of(id)`, or null.
  [[nodiscard]] const Keypair* find(const KeyId& id) const;
  [[nodiscard]] const std::vector<Keypair>& all() const { return keypairs_; }
  /// True if each name gives the same key pair in both.
  friend bool operator==(const Keyring& a, const Keyring& b) {
    return a.keypairs_ == b.keypairs_ && a.default_ == b.default_;
  }

 private:
  using Name = std::pair<KeyId, std::size_t>;
  Keyring() = default;
  Status add(Keypair keypair);

  std::vector<Keypair> keypairs_;
  std::vector<Name> by_name_;           // sorted
  std::optional<std::size_t> default_;  // the last pair that is not dynamic
};

}  // namespace shingled::storage::crypto
