// A reply in the clear from a hostile server. Encoding and decoding it again changes nothing, and
// the client accepts any reply.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "storage/client/exchange.h"

using namespace shingled;
using namespace shingled::storage;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto reply = protocol::decode_reply({data, size});
  if (!reply) return 0;
  for (const auto kind : {client::RemoteRequest::Kind::kCheck, client::RemoteRequest::Kind::kStat,
                          client::RemoteRequest::Kind::kAdd, client::RemoteRequest::Kind::kPing}) {
    const client::RemoteAnswer answer = client::interpret(*reply, kind);
    if (answer.match && answer.match->flag_count > kFlagsMax) std::abort();
    if (answer.match && answer.match->slots > kShingleCount) std::abort();
  }
  std::vector<std::uint8_t> again(size);
  if (protocol::encode_reply(*reply, static_cast<protocol::ReplyForm>(size), again) != size)
    std::abort();
  std::vector<std::uint8_t> third(size);
  (void)protocol::encode_reply(protocol::decode_reply(again).value(),
                               static_cast<protocol::ReplyForm>(size), third);
  if (again != third) std::abort();  // compare bytes: a probability may be NaN
  return 0;
}
