#include "storage/protocol/extensions.h"

#include <algorithm>

namespace shingled::storage::protocol {

namespace {

constexpr std::uint8_t kFirstFramedType = 0x80;  // from here on every extension carries its length
constexpr std::size_t kFactsBytes = 4;
constexpr std::size_t kAddressBytesV4 = 4;
constexpr std::size_t kAddressBytesV6 = 16;

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

std::optional<Digest> companion_in(BytesView bytes) {
  ExtensionReader reader(bytes);
  std::optional<Digest> named;
  while (const auto extension = reader.next()) {
    if (extension->type != static_cast<std::uint8_t>(ExtensionType::kCompanion)) continue;
    if (extension->payload.size() != kDigestBytes) continue;
    named.emplace();
    std::copy(extension->payload.begin(), extension->payload.end(), named->bytes.begin());
  }
  return named;
}

std::array<std::uint8_t, kCompanionBytes> companion_extension(const Digest& companion) {
  std::array<std::uint8_t, kCompanionBytes> bytes{};
  ByteWriter writer(bytes);
  writer.u8(static_cast<std::uint8_t>(ExtensionType::kCompanion));
  writer.u8(static_cast<std::uint8_t>(kDigestBytes));
  writer.bytes(companion.bytes);
  return bytes;
}

}  // namespace shingled::storage::protocol
