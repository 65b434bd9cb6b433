// The messages of a replication peer after opening: a decoded message is encoded to the same bytes.
// Also the bytes of the connection before they are opened.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "storage/crypto/keypair.h"
#include "storage/replication/message.h"
#include "storage/replication/secure_channel.h"
#include "tests/support/seeded_random.h"

using namespace shingled;
using namespace shingled::storage;

namespace {

void feed(replication::SecureChannel channel, BytesView bytes) {
  while (true) {
    const auto taken = channel.take(bytes);
    if (!taken) return;
    bytes = bytes.subspan(*taken);
    const auto message = channel.next();
    if (!message) return;
    if (*message) std::abort();  // the input cannot contain a sealed message
    if (bytes.empty() || *taken == 0) return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > replication::kMessageBytesMax) return 0;
  const BytesView bytes(data, size);
  if (const auto message = replication::decode_message(bytes)) {
    const Bytes again = replication::encode_message(*message);
    if (!std::equal(again.begin(), again.end(), bytes.begin(), bytes.end())) std::abort();
  }
  static shingled::testing::SeededRandom first(1);
  static const Keypair kOwn = crypto::generate_keypair(first);
  static const Keypair kPeer = crypto::generate_keypair(first);
  shingled::testing::SeededRandom random(
      2);  // new for each input, so that the same input always does the same
  feed(replication::SecureChannel::answer(kOwn, {kPeer.public_key}, random), bytes);
  return 0;
}
