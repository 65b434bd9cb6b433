#include "storage/access/source_id.h"

#include "storage/crypto/packet_cipher.h"

namespace shingled::storage::access {

namespace {

/// The next address; after the last one comes the first one.
IpAddress next(IpAddress address) {
  for (auto at = static_cast<std::size_t>(address.bits() / 8); at-- > 0;) {
    if (++address.bytes[at] != 0) break;
  }
  return address;
}

}  // namespace

std::uint64_t source_id(const IpAddress& address) {
  return ByteReader(crypto::content_id(address.bytes)).u64();
}

std::optional<IpAddress> find_source(std::uint64_t name, std::span<const Network> networks) {
  for (const Network& network : networks) {
    IpAddress address = network.address;
    for (std::uint32_t i = 0; i < kSourcesTried && network.contains(address); ++i) {
      if (source_id(address) == name) return address;
      address = next(address);
    }
  }
  return std::nullopt;
}

}  // namespace shingled::storage::access
