#pragma once

#include <vector>

#include "config/base/result.h"
#include "config/options/storage_options.h"
#include "storage/crypto/sealed_request.h"

namespace shingled::storage {

/// The key pairs of a server.   Threads: immutable, any thread.
class Keyring {
 public:
  /// Errors: kInvalid for a public key that does not belong to its secret key, and for two keys
  /// that start with the same 8 bytes: a request could not name the second one.
  static Result<Keyring> make(std::vector<Keypair> keypairs);

  /// The pair a request names; for an unknown name the default one, which is the last. Null only in
  /// an empty ring.
  [[nodiscard]] const Keypair* find(const KeyId& id) const;

 private:
  explicit Keyring(std::vector<Keypair> keypairs) : keypairs_(std::move(keypairs)) {}
  std::vector<Keypair> keypairs_;
};

}  // namespace shingled::storage
