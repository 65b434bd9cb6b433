// A reply in the clear, as a hostile server sends it: encoding and decoding again changes nothing,
// and the client makes something of it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "storage/client/exchange.h"

using namespace shingled;
using namespace shingled::storage;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto reply = decode_reply({data, size});
  if (!reply) return 0;
  for (const auto kind : {RemoteRequest::Kind::kCheck, RemoteRequest::Kind::kStat,
                          RemoteRequest::Kind::kAdd, RemoteRequest::Kind::kPing}) {
    const RemoteAnswer answer = interpret(*reply, kind);
    if (answer.match && answer.match->flag_count > kFlagsMax) std::abort();
    if (answer.match && answer.match->slots > kShingleCount) std::abort();
  }
  std::vector<std::uint8_t> again(size);
  if (encode_reply(*reply, static_cast<ReplyForm>(size), again) != size) std::abort();
  std::vector<std::uint8_t> third(size);
  (void)encode_reply(decode_reply(again).value(), static_cast<ReplyForm>(size), third);
  if (again != third) std::abort();  // by bytes: a probability may be no number
  return 0;
}
