// The cost of a packet without the system calls: decoding, encoding, sealing, handling.
#include <benchmark/benchmark.h>

#include "storage/crypto/keypair.h"
#include "storage/server/request_handler.h"
#include "tests/support/fake_store.h"
#include "tests/support/handle_one.h"
#include "tests/support/seeded_random.h"

namespace shingled::storage {
namespace {

Bytes check_packet(bool with_shingles) {
  protocol::Command command;
  command.shingle_count = with_shingles ? kShingleCount : 0;
  Bytes packet(protocol::kCommandBytesMax);
  packet.resize(protocol::encode_command(command, packet));
  return packet;
}

void BM_DecodeCommand(benchmark::State& state) {
  const Bytes packet = check_packet(state.range(0) != 0);
  for (auto _ : state) benchmark::DoNotOptimize(protocol::decode_command(packet));
}
BENCHMARK(BM_DecodeCommand)->ArgName("shingles")->Arg(0)->Arg(1);

void BM_EncodeReply(benchmark::State& state) {
  const auto form = static_cast<protocol::ReplyForm>(state.range(0));
  std::array<std::uint8_t, protocol::kReplyBytesMax> out{};
  for (auto _ : state)
    benchmark::DoNotOptimize(protocol::encode_reply(protocol::Reply{}, form, out));
}
BENCHMARK(BM_EncodeReply)->ArgName("bytes")->Arg(96)->Arg(144);

struct Keys {
  testing::SeededRandom random{1};
  Keypair server = crypto::generate_keypair(random);
  Keypair client = crypto::generate_keypair(random);
  crypto::SharedKey key = *crypto::shared_key(client.secret_key, server.public_key);
};

void BM_AgreeOnKey(benchmark::State& state) {
  const Keys keys;
  for (auto _ : state)
    benchmark::DoNotOptimize(crypto::shared_key(keys.server.secret_key, keys.client.public_key));
}
BENCHMARK(BM_AgreeOnKey);

void BM_SealReply(benchmark::State& state) {
  const Keys keys;
  const Bytes message(static_cast<std::size_t>(state.range(0)));
  Bytes out(message.size() + crypto::kSealBytes);
  for (auto _ : state)
    benchmark::DoNotOptimize(crypto::seal(keys.key, crypto::Nonce{}, message, out));
}
BENCHMARK(BM_SealReply)->ArgName("bytes")->Arg(96)->Arg(144);

/// A miss in an empty store: everything except the look-up.
void handle(benchmark::State& state, const Bytes& packet, const ServerOptions& options) {
  testing::SeededRandom random(2);
  testing::FakeStore store;
  server::WorkerCounters counters;
  ServerOptions unlimited = options;
  unlimited.ratelimit.rate = 0;
  unlimited.agreements.thread = {.rate = 1e6, .burst = 1e9};
  unlimited.agreements.source = {.rate = 1e6, .burst = 1e9};
  server::RequestHandler handler(store, random, counters);
  handler.use(std::make_shared<const access::Access>(access::Access::make(unlimited).value()),
              options.keypair_cache_size);
  const server::Peer peer{*IpAddress::parse("192.0.2.1"), 40'000};
  std::array<std::uint8_t, server::kSealedReplyBytesMax> out{};
  for (auto _ : state)
    benchmark::DoNotOptimize(testing::handle_one(handler, store, packet, peer, 1, out));
}

void BM_HandlePlain(benchmark::State& state) {
  handle(state, check_packet(state.range(0) != 0), {});
}
BENCHMARK(BM_HandlePlain)->ArgName("shingles")->Arg(0)->Arg(1);

void BM_HandleSealed(benchmark::State& state) {
  const Keys keys;
  ServerOptions options;
  options.keypair = {keys.server};
  options.keypair_cache_size = static_cast<std::uint32_t>(state.range(0));
  const Bytes plain = check_packet(false);
  Bytes packet(crypto::kRequestSealBytes + plain.size());
  (void)crypto::seal_request(keys.server.public_key, keys.client.public_key, keys.key,
                             crypto::Nonce{}, plain, packet);
  handle(state, packet, options);
}
BENCHMARK(BM_HandleSealed)->ArgName("cache")->Arg(0)->Arg(512);

/// Only the rate limit, for a number of sources in turn; 100000 do not fit into its table.
void BM_AdmitSource(benchmark::State& state) {
  RateLimitOptions options;
  options.rate = 1e6;
  options.burst = 1e9;
  access::LimitState limits;
  const access::SourceLimits sources(options, limits);
  IpAddress ip;
  std::uint32_t number = 0;
  const auto count = static_cast<std::uint32_t>(state.range(0));
  for (auto _ : state) {
    number = number + 1 < count ? number + 1 : 0;
    ip.bytes = {11, static_cast<std::uint8_t>(number >> 8), static_cast<std::uint8_t>(number)};
    ip.bytes[0] = static_cast<std::uint8_t>(11 + (number >> 16));
    benchmark::DoNotOptimize(sources.admit(ip, TimePoint(std::chrono::hours(1))));
  }
}
BENCHMARK(BM_AdmitSource)->ArgName("sources")->Arg(1)->Arg(1000)->Arg(100'000);

}  // namespace
}  // namespace shingled::storage
