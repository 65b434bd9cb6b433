#include "storage/crypto/keyring.h"

#include <algorithm>
#include <utility>

#include "config/base/zbase32.h"
#include "storage/crypto/keypair.h"

namespace shingled::storage::crypto {

Result<Keyring> Keyring::make(std::vector<Keypair> keypairs, std::vector<Keypair> dynamic) {
  Keyring ring;
  for (Keypair& keypair : keypairs) {
    if (auto status = ring.add(std::move(keypair)); !status) return status.error();
  }
  if (!ring.keypairs_.empty()) ring.default_ = ring.keypairs_.size() - 1;
  const std::size_t fixed = ring.keypairs_.size();
  for (Keypair& keypair : dynamic) {
    const auto same = ring.index_of(key_id(keypair.public_key));
    if (same && *same < fixed && ring.keypairs_[*same].public_key == keypair.public_key) continue;
    if (auto status = ring.add(std::move(keypair)); !status) return status.error();
  }
  return ring;
}

Status Keyring::add(Keypair keypair) {
  const PublicKey& key = keypair.public_key;
  // The public key is not shown: where both are swapped it is the private one.
  if (const PublicKey its_own = public_key_of(keypair.secret_key); its_own != key) {
    return Error{ErrorCode::kInvalid,
                 "a private key does not belong to the public key beside it, but to '" +
                     to_zbase32(its_own) + "'"};
  }
  const Name name{key_id(key), keypairs_.size()};
  const auto place = std::lower_bound(by_name_.begin(), by_name_.end(), Name{name.first, 0});
  if (place != by_name_.end() && place->first == name.first) {
    return Error{ErrorCode::kInvalid, "two key pairs start like '" + to_zbase32(key) +
                                          "': requests could not tell them apart"};
  }
  by_name_.insert(place, name);
  keypairs_.push_back(std::move(keypair));
  return {};
}

std::optional<std::size_t> Keyring::index_of(const KeyId& id) const {
  const auto found = std::lower_bound(by_name_.begin(), by_name_.end(), Name{id, 0});
  return found != by_name_.end() && found->first == id ? found->second : default_;
}

const Keypair* Keyring::find(const KeyId& id) const {
  const auto index = index_of(id);
  return index ? &keypairs_[*index] : nullptr;
}

}  // namespace shingled::storage::crypto
