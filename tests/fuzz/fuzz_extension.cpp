// The extensions of a command as a stranger sends them: reader and decoder agree on what is
// malformed, nothing points out of the packet, and what we would send of it says the same.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "storage/protocol/extensions.h"
#include "storage/protocol/frame.h"

using namespace shingled;
using namespace shingled::storage;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kFrameBytesMax) return 0;
  const BytesView bytes(data, size);
  const auto read = decode_extensions(bytes);
  if (read.has_value() != are_extensions(bytes)) std::abort();
  ExtensionReader reader(bytes);
  std::size_t walked = 0;
  while (const auto extension = reader.next()) {
    if (extension->payload.size() > 255) std::abort();
    walked += 1 + extension->payload.size();
  }
  if (walked > size) std::abort();
  if (!read) return 0;
  if (!read->domain.empty() &&
      (read->domain.data() < data || read->domain.data() + read->domain.size() > data + size)) {
    std::abort();
  }
  std::array<std::uint8_t, 256> sent{};
  const std::size_t length = encode_extensions(*read, sent);
  const auto again = decode_extensions(BytesView(sent).first(length));
  if (!again || again->source != read->source || again->facts != read->facts) std::abort();
  if (again->domain.size() > kSentDomainBytesMax) std::abort();
  return 0;
}
