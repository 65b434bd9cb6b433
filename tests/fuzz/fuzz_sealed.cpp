// A packet through the whole server, with keys: first the input itself, then the input as the
// command in a correctly sealed packet. No answer is longer than its form allows.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "storage/crypto/keypair.h"
#include "storage/server/request_handler.h"
#include "tests/support/fake_store.h"
#include "tests/support/handle_one.h"
#include "tests/support/seeded_random.h"

using namespace shingled;
using namespace shingled::storage;

namespace {

struct World {
  World() {
    server = crypto::generate_keypair(random);
    client = crypto::generate_keypair(random);
    key = *crypto::shared_key(client.secret_key, server.public_key);
    ServerOptions options;
    options.keypair = {server};
    options.ratelimit.rate = 0;  // the clock stands still
    options.agreements.thread = {.rate = 1e6, .burst = 1e9};
    options.agreements.source = {.rate = 1e6, .burst = 1e9};
    handler.use(std::make_shared<const access::Access>(access::Access::make(options).value()), 4);
  }
  shingled::testing::SeededRandom random{1};
  Keypair server, client;
  crypto::SharedKey key;
  shingled::testing::FakeStore store;
  server::WorkerCounters counters;
  server::RequestHandler handler{store, random, counters};
};

void handle(World& world, BytesView packet, const char* ip, std::size_t reply_bytes_max) {
  std::array<std::uint8_t, server::kSealedReplyBytesMax> out{};
  const server::Handled handled = shingled::testing::handle_one(world.handler, world.store, packet,
                                                                {*IpAddress::parse(ip), 9}, 1, out);
  const auto* answer = std::get_if<server::Answer>(&handled);
  if (answer != nullptr && (answer->bytes == 0 || answer->bytes > reply_bytes_max)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static World world;
  if (size > protocol::kCommandBytesMax) return 0;
  const BytesView packet(data, size);
  handle(world, packet, "127.0.0.1", server::kSealedReplyBytesMax);
  handle(world, packet, "192.0.2.1", server::kSealedReplyBytesMax);
  std::array<std::uint8_t, protocol::kCommandBytesMax> sealed{};
  const std::size_t length = crypto::seal_request(world.server.public_key, world.client.public_key,
                                                  world.key, crypto::Nonce{1}, packet, sealed);
  if (length != 0)
    handle(world, BytesView(sealed).first(length), "192.0.2.1", server::kSealedReplyBytesMax);
  return 0;
}
