#pragma once

#include <cstddef>
#include <vector>

#include "config/base/result.h"
#include "config/base/socket_address.h"
#include "config/options/storage_options.h"
#include "storage/crypto/keyring.h"

namespace shingled::storage {

/// Who may do what, and the keys: everything a reload replaces.   Threads: immutable, any thread.
class Access {
 public:
  /// Errors: kInvalid for key pairs that cannot work, see `Keyring::make`.
  static Result<Access> make(const ServerOptions& options);

  /// Its packets are dropped unread.
  [[nodiscard]] bool is_blocked(const IpAddress& ip) const { return contains(blocked_, ip); }
  [[nodiscard]] bool may_update(const IpAddress& ip) const {
    return !read_only_ && contains(allow_update_, ip);
  }
  [[nodiscard]] bool needs_encryption() const { return encrypted_only_; }
  /// May have 144 bytes for 76 in the clear: its source address is hardly forged. Anybody else's
  /// may be a victim's.
  [[nodiscard]] bool is_trusted(const IpAddress& ip) const {
    return ip.is_loopback() || contains(trusted_, ip);
  }
  [[nodiscard]] const Keyring& keyring() const { return keyring_; }

 private:
  Access(const ServerOptions& options, Keyring keyring);

  std::vector<Network> blocked_;
  std::vector<Network> allow_update_;
  std::vector<Network> trusted_;
  bool encrypted_only_;
  bool read_only_;
  Keyring keyring_;
};

}  // namespace shingled::storage
