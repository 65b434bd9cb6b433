#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "storage/server/request_handler.h"
#include "tests/support/fake_store.h"
#include "tests/support/handle_one.h"
#include "tests/support/seeded_random.h"

namespace shingled::storage::server {

inline constexpr std::uint32_t kNow = 1'700'000'000;

inline Peer peer(const char* ip) { return {*IpAddress::parse(ip), 40'000}; }

class RequestHandlerTest : public ::testing::Test {
 protected:
  RequestHandlerTest() { use(options_); }
  void use(const ServerOptions& options) {
    handler_.use(std::make_shared<const access::Access>(access::Access::make(options).value()),
                 options.keypair_cache_size);
  }
  Handled handle(const protocol::Command& command, const Peer& from = peer("127.0.0.1")) {
    Bytes packet(protocol::kCommandBytesMax);
    packet.resize(protocol::encode_command(command, packet));
    return handle_packet(packet, from);
  }
  Handled handle_packet(BytesView packet, const Peer& from) {
    return testing::handle_one(handler_, store_, packet, from, kNow, out_);
  }
  protocol::Reply reply(const Handled& handled) {
    const auto* answer = std::get_if<Answer>(&handled);
    EXPECT_NE(answer, nullptr);
    if (answer == nullptr) return {};
    bytes_ = answer->bytes;
    return protocol::decode_reply(BytesView(out_).first(answer->bytes)).value();
  }
  static protocol::Command command(protocol::CommandCode code,
                                   std::uint8_t version = protocol::kVersionLong) {
    protocol::Command command;
    command.version = version;
    command.code = code;
    command.flag = 11;
    command.tag = 77;
    command.digest.bytes.fill(0xd1);
    return command;
  }
  Match stored() {
    Match match;
    match.digest.bytes.fill(0xd1);
    match.exact = true;
    match.slots = 32;
    match.flag_count = 3;
    match.flags = {{{50, 10}, {51, 4}, {52, 1}}};
    match.created = 1'600'000'000;
    return match;
  }

  ServerOptions options_;
  testing::FakeStore store_;
  testing::SeededRandom random_{7};
  WorkerCounters counters_;
  RequestHandler handler_{store_, random_, counters_};
  std::array<std::uint8_t, kSealedReplyBytesMax> out_{};
  std::size_t bytes_ = 0;
};

}  // namespace shingled::storage::server
