#include "storage/crypto/keypair.h"

#include <sodium.h>

#include "config/base/zbase32.h"

namespace shingled::storage::crypto {

Keypair generate_keypair(Random& random) {
  Keypair keypair;
  random.fill({keypair.secret_key.reveal(), SecretKey::size()});
  // Clamped as RFC 7748 section 5 says, so that readers which do not clamp at use agree with us.
  keypair.secret_key.reveal()[0] &= 0xf8;
  keypair.secret_key.reveal()[31] &= 0x7f;
  keypair.secret_key.reveal()[31] |= 0x40;
  keypair.public_key = public_key_of(keypair.secret_key);
  return keypair;
}

PublicKey public_key_of(const SecretKey& secret) {
  PublicKey key{};
  crypto_scalarmult_base(key.data(), secret.reveal());
  return key;
}

std::array<std::uint8_t, 64> long_key_id(const PublicKey& key) {
  std::array<std::uint8_t, 64> id{};
  crypto_generichash(id.data(), id.size(), key.data(), key.size(), nullptr, 0);
  return id;
}

std::string to_ucl(const Keypair& keypair) {
  return "keypair {\n    pubkey = \"" + to_zbase32(keypair.public_key) + "\";\n    privkey = \"" +
         to_zbase32({keypair.secret_key.reveal(), SecretKey::size()}) + "\";\n    id = \"" +
         to_zbase32(long_key_id(keypair.public_key)) +
         "\";\n    type = \"kex\";\n    algorithm = \"curve25519\";\n    encoding = "
         "\"base32\";\n}\n";
}

std::string to_yaml(const Keypair& keypair) {
  return "keypair:\n  - pubkey: " + to_zbase32(keypair.public_key) +
         "\n    privkey: " + to_zbase32({keypair.secret_key.reveal(), SecretKey::size()}) + "\n";
}

}  // namespace shingled::storage::crypto
