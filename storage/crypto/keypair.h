#pragma once

#include <array>
#include <cstddef>
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

/// The key pairs of a server.
/// Threads: immutable, any thread.
/// Cost: a look-up is a binary search.
class Keyring {
 public:
  /// `dynamic` ones are found by their names alone; of a pair that is in both lists the first one
  /// counts.
  /// Errors: kInvalid for a public key that does not belong to its secret key, and for two keys
  /// that start with the same 8 bytes: a request could not name the second one.
  static Result<Keyring> make(std::vector<Keypair> keypairs, std::vector<Keypair> dynamic = {});

  /// The place in `all` of the pair a request names; for an unknown name the default one, which is
  /// the last of `keypairs`. Nothing if there is no such one.
  [[nodiscard]] std::optional<std::size_t> index_of(const KeyId& id) const;
  /// The pair itself, or null.
  [[nodiscard]] const Keypair* find(const KeyId& id) const;
  [[nodiscard]] const std::vector<Keypair>& all() const { return keypairs_; }
  /// The same names mean the same pairs.
  friend bool operator==(const Keyring& a, const Keyring& b) {
    return a.keypairs_ == b.keypairs_ && a.default_ == b.default_;
  }

 private:
  using Name = std::pair<KeyId, std::size_t>;
  Keyring() = default;
  Status add(Keypair keypair);

  std::vector<Keypair> keypairs_;
  std::vector<Name> by_name_;           // sorted
  std::optional<std::size_t> default_;  // the last one that is not dynamic
};

}  // namespace shingled::storage::crypto
