#include "storage/crypto/sealed_request.h"

#include <algorithm>
#include <string_view>

namespace shingled::storage::crypto {

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
