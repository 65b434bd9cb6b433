#include "storage/crypto/password.h"

#include <sodium.h>

#include <array>

namespace shingled::storage::crypto {

std::string hash_password(std::string_view password) {
  if (sodium_init() < 0) return {};
  std::array<char, crypto_pwhash_STRBYTES> out{};
  const int failed = crypto_pwhash_str_alg(
      out.data(), password.data(), password.size(), crypto_pwhash_OPSLIMIT_INTERACTIVE,
      crypto_pwhash_MEMLIMIT_INTERACTIVE, crypto_pwhash_ALG_ARGON2ID13);
  return failed == 0 ? std::string(out.data()) : std::string();
}

bool is_password(std::string_view password, const std::string& hash) {
  return sodium_init() >= 0 && is_password_hash(hash) &&
         crypto_pwhash_str_verify(hash.c_str(), password.data(), password.size()) == 0;
}

bool is_password_hash(std::string_view text) {
  return text.starts_with("$argon2id$") && text.size() < crypto_pwhash_STRBYTES;
}

}  // namespace shingled::storage::crypto
