#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "config/base/byte_reader.h"
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

}  // namespace shingled::storage::crypto
