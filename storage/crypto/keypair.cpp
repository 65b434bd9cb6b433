#include "storage/crypto/keypair.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "config/base/zbase32.h"

namespace shingled::storage::crypto {

Keypair generate_keypair(Random& random) {
  Keypair keypair;
  random.fill({keypair.secret_key.reveal(), SecretKey::size()});
  // Clamp the key (RFC 7748 section 5), so that programs that do not clamp it when they use it get
  // the same results.
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
  // Do not show the configured public key: if both keys were swapped, it is the private one.
  if (const PublicKey its_own = public_key_of(keypair.secret_key); its_own != key) {
    return Error{ErrorCode::kInvalid,
                 "a private key does not belong to the public key beside it, but to '" +
                     to_zbase32(its_own) + "'"};
  }
  const Name name{key_id(key), keypairs_.size()};
  const auto place = std::lower_bound(by_name_.begin(), by_name_.end(), Name{name.first, 0});
  if (place != by_name_.end() && place->first == name.first) {
    return Error{ErrorCode::kInvalid, "two public keys start with the same 8 bytes as '" +
                                          to_zbase32(key) + "': a request could not name both"};
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

namespace {

constexpr std::string_view kLabel = "shingled replication 1";

/// Mixes the keys. Their order is that of the caller: fresh-fresh, lasting-fresh, fresh-lasting;
/// then the public keys.
SessionKeys mix(const std::array<const SharedKey*, 3>& shared,
                const std::array<const PublicKey*, 4>& shown) {
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, crypto_generichash_BYTES_MAX);
  crypto_generichash_update(&state, as_bytes(kLabel).data(), kLabel.size());
  for (const SharedKey* key : shared) {
    crypto_generichash_update(&state, key->reveal(), SharedKey::size());
  }
  for (const PublicKey* key : shown) crypto_generichash_update(&state, key->data(), key->size());
  Secret<crypto_generichash_BYTES_MAX> both;
  crypto_generichash_final(&state, both.reveal(), crypto_generichash_BYTES_MAX);
  sodium_memzero(&state, sizeof state);
  const std::span<const std::uint8_t> bytes(both.reveal(), crypto_generichash_BYTES_MAX);
  return {SharedKey(bytes.first<32>()), SharedKey(bytes.last<32>())};
}

}  // namespace

std::optional<SessionKeys> caller_session_keys(const SessionSide& caller) {
  const auto fresh = shared_key(caller.own_fresh.secret_key, caller.peer_fresh);
  const auto mine = shared_key(caller.own.secret_key, caller.peer_fresh);
  const auto theirs = shared_key(caller.own_fresh.secret_key, caller.peer);
  if (!fresh || !mine || !theirs) return std::nullopt;
  return mix({&*fresh, &*mine, &*theirs}, {&caller.own.public_key, &caller.own_fresh.public_key,
                                           &caller.peer, &caller.peer_fresh});
}

std::optional<SessionKeys> called_session_keys(const SessionSide& called) {
  const auto fresh = shared_key(called.own_fresh.secret_key, called.peer_fresh);
  const auto theirs = shared_key(called.own_fresh.secret_key, called.peer);
  const auto mine = shared_key(called.own.secret_key, called.peer_fresh);
  if (!fresh || !mine || !theirs) return std::nullopt;
  return mix({&*fresh, &*theirs, &*mine}, {&called.peer, &called.peer_fresh, &called.own.public_key,
                                           &called.own_fresh.public_key});
}

namespace {
constexpr std::string_view kMagic = "rsfe";
constexpr std::size_t kEnvelopeBytes =
    kMagic.size() + std::tuple_size_v<KeyId> + std::tuple_size_v<PublicKey>;
static_assert(kEnvelopeBytes + kSealBytes == kRequestSealBytes);
}  // namespace

KeyId key_id(const PublicKey& key) {
  KeyId id{};
  std::copy_n(key.begin(), id.size(), id.begin());
  return id;
}

std::optional<SealedRequest> parse_sealed_request(BytesView packet) {
  if (packet.size() < kSealedRequestBytesMin) return std::nullopt;
  ByteReader reader(packet);
  if (as_text(reader.bytes(kMagic.size())) != kMagic) return std::nullopt;
  SealedRequest request;
  request.key = reader.array<std::tuple_size_v<KeyId>>();
  request.client = reader.array<std::tuple_size_v<PublicKey>>();
  // X25519 ignores this bit (RFC 7748 section 5). Clear it, or a client would have two names, and
  // an update that someone else repeats before its commit would count once for each name.
  request.client.back() &= 0x7f;
  request.sealed = reader.bytes(reader.left());
  return request;
}

std::uint64_t seal_id(BytesView sealed) {
  const std::uint64_t nonce = ByteReader(sealed).u64();
  const std::uint64_t tag = ByteReader(sealed.subspan(sizeof(Nonce))).u64();
  // The tag is evenly distributed, whatever nonce the client uses.
  return std::max<std::uint64_t>(nonce ^ tag, 1);
}

std::size_t seal_request(const PublicKey& server, const PublicKey& client, const SharedKey& key,
                         const Nonce& nonce, BytesView command, std::span<std::uint8_t> out) {
  ByteWriter writer(out);
  writer.bytes(as_bytes(kMagic));
  writer.bytes(key_id(server));
  writer.bytes(client);
  if (!writer.ok()) return 0;
  const std::size_t sealed = seal(key, nonce, command, out.subspan(kEnvelopeBytes));
  return sealed == 0 ? 0 : kEnvelopeBytes + sealed;
}

}  // namespace shingled::storage::crypto
