#include "storage/server/lateness.h"

#include "storage/crypto/sealed_request.h"
#include "storage/protocol/command.h"

namespace shingled::storage::server {

namespace {

bool is_plain_update(BytesView packet) {
  if (packet.size() < protocol::kCommandBytes || crypto::parse_sealed_request(packet)) return false;
  return protocol::is_update(static_cast<protocol::CommandCode>(packet[1]));
}

}  // namespace

bool is_too_late(BytesView packet, Duration waited, Duration limit) {
  return limit != Duration::zero() && waited > limit && !is_plain_update(packet);
}

}  // namespace shingled::storage::server
