#include "storage/protocol/extensions.h"

#include <algorithm>
#include <array>

namespace shingled::storage {

namespace {

constexpr std::uint8_t kFirstFramedType = 0x80;  // from here on every extension carries its length
constexpr std::size_t kFactsBytes = 4;
constexpr std::size_t kAddressBytesV4 = 4;
constexpr std::size_t kAddressBytesV6 = 16;

std::optional<IpAddress> address_of(IpAddress::Family family, BytesView bytes) {
  IpAddress ip;
  ip.family = family;
  std::copy(bytes.begin(), bytes.end(), ip.bytes.begin());
  return ip;
}

std::uint32_t big_endian(BytesView bytes) {
  std::uint32_t word = 0;
  for (const std::uint8_t byte : bytes) word = (word << 8) | byte;
  return word;
}

void put_type(ByteWriter& writer, ExtensionType type) {
  writer.u8(static_cast<std::uint8_t>(type));
}

}  // namespace

std::optional<Extension> ExtensionReader::next() {
  if (rest_.left() == 0) return std::nullopt;
  Extension extension{rest_.u8(), {}};
  std::size_t length = 0;
  switch (static_cast<ExtensionType>(extension.type)) {
    case ExtensionType::kSourceV4:
      length = kAddressBytesV4;
      break;
    case ExtensionType::kSourceV6:
      length = kAddressBytesV6;
      break;
    case ExtensionType::kDomain:
      length = rest_.u8();
      break;
    case ExtensionType::kSenderFacts:
      length = rest_.u8();
      if (length != kFactsBytes) length = rest_.left() + 1;  // malformed: make it fail
      break;
    default:
      length = extension.type >= kFirstFramedType ? rest_.u8() : rest_.left() + 1;
  }
  extension.payload = rest_.bytes(length);
  if (!rest_.ok()) return std::nullopt;
  return extension;
}

bool are_extensions(BytesView bytes) {
  ExtensionReader reader(bytes);
  while (reader.next()) {
  }
  return reader.ok();
}

std::optional<Extensions> decode_extensions(BytesView bytes) {
  Extensions out;
  ExtensionReader reader(bytes);
  while (const auto extension = reader.next()) {
    switch (static_cast<ExtensionType>(extension->type)) {
      case ExtensionType::kDomain:
        out.domain = extension->payload;
        break;
      case ExtensionType::kSourceV4:
        out.source = address_of(IpAddress::Family::kV4, extension->payload);
        break;
      case ExtensionType::kSourceV6:
        out.source = address_of(IpAddress::Family::kV6, extension->payload);
        break;
      case ExtensionType::kSenderFacts:
        out.facts = decode_sender_facts(big_endian(extension->payload));
        break;
    }
  }
  if (!reader.ok()) return std::nullopt;
  return out;
}

std::size_t encode_extensions(const Extensions& extensions, std::span<std::uint8_t> out) {
  ByteWriter writer(out);
  if (!extensions.domain.empty()) {
    const auto domain =
        extensions.domain.last(std::min(extensions.domain.size(), kSentDomainBytesMax));
    put_type(writer, ExtensionType::kDomain);
    writer.u8(static_cast<std::uint8_t>(domain.size()));
    writer.bytes(domain);
  }
  if (extensions.source) {
    const bool v4 = extensions.source->family == IpAddress::Family::kV4;
    put_type(writer, v4 ? ExtensionType::kSourceV4 : ExtensionType::kSourceV6);
    writer.bytes(BytesView(extensions.source->bytes).first(v4 ? kAddressBytesV4 : kAddressBytesV6));
  }
  if (extensions.facts) {
    const std::uint32_t word = encode_sender_facts(*extensions.facts);
    put_type(writer, ExtensionType::kSenderFacts);
    writer.u8(kFactsBytes);
    for (const unsigned shift : {24U, 16U, 8U, 0U})
      writer.u8(static_cast<std::uint8_t>(word >> shift));
  }
  return writer.ok() ? writer.written() : 0;
}

}  // namespace shingled::storage
