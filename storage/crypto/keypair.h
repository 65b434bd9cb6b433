#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/base/byte_reader.h"
#include "config/base/random.h"
#include "config/base/result.h"
#include "config/options/storage_options.h"
#include "storage/crypto/packet_cipher.h"

namespace shingled::storage::crypto {

/// The first bytes of the server's public key. A request names the server key with them.
using KeyId = std::array<std::uint8_t, 8>;
KeyId key_id(const PublicKey& key);

inline constexpr std::size_t kRequestSealBytes = 84;        ///< magic, key id, public key, seal
inline constexpr std::size_t kSealedRequestBytesMin = 160;  ///< a shorter packet counts as plain

/// An encrypted request (PROTOCOL.md 3.1), still sealed. Points into the packet.
struct SealedRequest {
  KeyId key{};
  PublicKey client{};
  BytesView sealed;  ///< the input of `open`
};

/// Reads the envelope of a packet. Returns nullopt if the packet is plain.
std::optional<SealedRequest> parse_sealed_request(BytesView packet);

/// An id for a sealed message, made of its nonce and its tag; never 0. Different messages have the
/// same id only with a chance of 2^-64, but a client can choose the ids of its own messages.
/// `sealed` must have at least kSealBytes.
std::uint64_t seal_id(BytesView sealed);

/// Seals a command for a server. Returns kRequestSealBytes + command.size(), or 0 if `out` is too
/// small.
std::size_t seal_request(const PublicKey& server, const PublicKey& client, const SharedKey& key,
                         const Nonce& nonce, BytesView command, std::span<std::uint8_t> out);

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

/// The two keys of one connection, one for each direction. The connection is between two servers
/// that know each other's public keys.
struct SessionKeys {
  SharedKey from_caller;
  SharedKey from_called;
};

/// The keys that one side has: its own lasting pair, its own fresh pair (made for this connection),
/// and the two public keys of the other side.
struct SessionSide {
  const Keypair& own;
  const Keypair& own_fresh;
  const PublicKey& peer;
  const PublicKey& peer_fresh;
};

/// Both sides compute the same keys only if each has the secret keys of the public keys that it
/// shows. Three shared keys are used: fresh with fresh, so a recorded connection cannot be read
/// when a lasting key is stolen later; and lasting with fresh in both directions, so each side
/// proves its name. The result is BLAKE2b-512 of a label, the three shared keys and the four public
/// keys; its first 32 bytes are `from_caller`. The pattern is Noise KK without its static-static
/// step. Returns nullopt for a public key of low order.
///
/// Threads: stateless.
/// Cost: three key agreements, 0.2 ms.
std::optional<SessionKeys> caller_session_keys(const SessionSide& caller);
std::optional<SessionKeys> called_session_keys(const SessionSide& called);

}  // namespace shingled::storage::crypto
