#include "storage/protocol/extensions.h"

namespace shingled::storage {

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

}  // namespace shingled::storage
