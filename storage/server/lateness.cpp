#include "storage/server/lateness.h"

#include "storage/crypto/sealed_request.h"
#include "storage/protocol/command.h"

namespace shingled::storage {

namespace {

bool is_plain_update(BytesView packet) {
  if (packet.size() < kCommandBytes || parse_sealed_request(packet)) return false;
  return is_update(static_cast<CommandCode>(packet[1]));
}

}  // namespace

bool is_too_late(BytesView packet, Duration waited, Duration limit) {
  return limit != Duration::zero() && waited > limit && !is_plain_update(packet);
}

}  // namespace shingled::storage
