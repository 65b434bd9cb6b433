#include "storage/server/access.h"

#include <utility>

namespace shingled::storage {

Result<Access> Access::make(const ServerOptions& options) {
  auto keyring = Keyring::make(options.keypair);
  if (!keyring) return keyring.error();
  return Access(options, std::move(*keyring));
}

Access::Access(const ServerOptions& options, Keyring keyring)
    : blocked_(options.blocked),
      allow_update_(options.allow_update),
      trusted_(options.trusted),
      encrypted_only_(options.encrypted_only),
      read_only_(options.read_only),
      keyring_(std::move(keyring)) {}

}  // namespace shingled::storage
