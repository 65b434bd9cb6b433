#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "config/base/byte_reader.h"
#include "storage/crypto/packet_cipher.h"

namespace shingled::storage::crypto {

/// The first bytes of the server's public key: how a request names the key it was sealed for.
using KeyId = std::array<std::uint8_t, 8>;
KeyId key_id(const PublicKey& key);

inline constexpr std::size_t kRequestSealBytes = 84;        ///< magic, key id, public key, seal
inline constexpr std::size_t kSealedRequestBytesMin = 160;  ///< shorter ones count as plain

/// An encrypted request (PROTOCOL.md 3.1), not opened yet. Points into the packet.
struct SealedRequest {
  KeyId key{};
  PublicKey client{};
  BytesView sealed;  ///< for `open`
};

/// The envelope of a packet; nothing if the packet is a plain one.
std::optional<SealedRequest> parse_sealed_request(BytesView packet);

/// A name for a sealed message, made of its nonce and its tag: the same for the same bytes, and for
/// no others but by a chance of 2^-64. Who seals may choose those of his own messages. Not 0.
/// `sealed` holds kSealBytes at least.
std::uint64_t seal_name(BytesView sealed);

/// Seals a command for a server; returns kRequestSealBytes + command.size(), 0 if it does not fit.
std::size_t seal_request(const PublicKey& server, const PublicKey& client, const SharedKey& key,
                         const Nonce& nonce, BytesView command, std::span<std::uint8_t> out);

}  // namespace shingled::storage::crypto
