// A command in the clear. A decoded command is encoded to the same bytes, and extensions stay
// inside the packet.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "storage/protocol/codec.h"

using namespace shingled;
using namespace shingled::storage;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const BytesView packet(data, size);
  const auto command = protocol::decode_command(packet);
  if (!command) return 0;
  protocol::ExtensionReader reader(command->extensions);
  std::size_t bytes = 0;
  while (const auto extension = reader.next()) bytes += 1 + extension->payload.size();
  if (!reader.ok() || bytes > command->extensions.size()) std::abort();
  std::vector<std::uint8_t> again(size);
  if (protocol::encode_command(*command, again) != size) std::abort();
  if (!std::equal(again.begin(), again.end(), packet.begin())) std::abort();
  return 0;
}
