#include "storage/crypto/keyring.h"

#include <utility>

#include "config/base/zbase32.h"
#include "storage/crypto/keypair.h"

namespace shingled::storage {

Result<Keyring> Keyring::make(std::vector<Keypair> keypairs) {
  for (std::size_t i = 0; i < keypairs.size(); ++i) {
    const PublicKey& key = keypairs[i].public_key;
    if (public_key_of(keypairs[i].secret_key) != key) {
      return Error{ErrorCode::kInvalid,
                   "the private key of '" + to_zbase32(key) + "' does not belong to it"};
    }
    for (std::size_t k = 0; k < i; ++k) {
      if (key_id(keypairs[k].public_key) != key_id(key)) continue;
      return Error{ErrorCode::kInvalid, "two key pairs start like '" + to_zbase32(key) +
                                            "': requests could not tell them apart"};
    }
  }
  return Keyring(std::move(keypairs));
}

const Keypair* Keyring::find(const KeyId& id) const {
  for (const Keypair& keypair : keypairs_) {
    if (key_id(keypair.public_key) == id) return &keypair;
  }
  return keypairs_.empty() ? nullptr : &keypairs_.back();
}

}  // namespace shingled::storage
