// The extensions of a command from a stranger. The walk over them ends, agrees with the check of
// the whole packet, and never leaves the packet.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "storage/protocol/codec.h"

using namespace shingled;
using namespace shingled::storage;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > protocol::kFrameBytesMax) return 0;
  const BytesView bytes(data, size);
  protocol::ExtensionReader reader(bytes);
  std::size_t walked = 0;
  while (const auto extension = reader.next()) {
    const BytesView payload = extension->payload;
    if (payload.size() > 255) std::abort();
    if (!payload.empty() &&
        (payload.data() < data || payload.data() + payload.size() > data + size))
      std::abort();
    walked += 1 + extension->payload.size();
  }
  if (walked > size) std::abort();
  if (reader.ok() != protocol::are_extensions(bytes)) std::abort();
  return 0;
}
