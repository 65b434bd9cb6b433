#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "storage/client/exchange.h"
#include "storage/crypto/keypair.h"
#include "tests/storage/client/requests.h"
#include "tests/support/manual_clock.h"
#include "tests/support/seeded_random.h"

namespace shingled::storage::client {

inline constexpr std::chrono::milliseconds kTimeout{1000};

inline Bytes hit_for(const protocol::Command& command, protocol::ReplyForm form) {
  protocol::Reply reply;
  reply.tag = command.tag;
  reply.probability = 1;
  reply.value = 10;
  reply.flag = 50;
  reply.digest = command.digest;
  reply.extra_count = 1;
  reply.extra[0] = {51, 4};
  Bytes packet(protocol::kReplyBytesMax);
  packet.resize(protocol::encode_reply(reply, form, packet));
  return packet;
}

/// An exchange with servers that the test plays.
class ExchangeTest : public ::testing::Test {
 protected:
  using Audience = Exchange::Audience;
  void use(std::vector<std::vector<SocketAddress>> servers) {
    RemoteOptions options;
    options.timeout = kTimeout;
    options.retransmits = 1;
    options.errors_max = 2;
    options.revive_time = std::chrono::milliseconds(60'000);
    options.protocol = protocol_;
    std::vector<UpstreamServer> upstreams;
    for (auto& addresses : servers)
      upstreams.push_back({addresses.front().to_string(), 1, std::move(addresses)});
    service_ = std::make_unique<Service>(options, ServerList{rotation_, {}}, sealing_, upstreams,
                                         clock_, random_);
  }
  void begin(std::vector<RemoteRequest> requests, Audience audience = Audience::kAsNeeded) {
    requests_ = std::move(requests);
    exchange_ = std::make_unique<Exchange>(*service_, requests_, audience, clock_.now());
  }
  struct Sent {
    std::size_t endpoint;
    Bytes packet;
    protocol::Command command;
  };
  std::vector<Sent> send() {
    std::vector<Sent> sent;
    while (const auto out = exchange_->next_packet(clock_.now())) {
      const auto command = protocol::decode_command(out->packet);
      EXPECT_TRUE(command);
      sent.push_back({out->endpoint, Bytes(out->packet.begin(), out->packet.end()), *command});
    }
    return sent;
  }
  std::vector<Sent> send_after(Duration wait) {
    clock_.advance(wait);
    return send();
  }
  void answer(const Sent& sent, protocol::ReplyForm form) {
    exchange_->receive(sent.endpoint, hit_for(sent.command, form), clock_.now());
  }

  testing::ManualClock clock_;
  testing::SeededRandom random_{5};
  Rotation rotation_ = Rotation::kRoundRobin;
  std::uint8_t protocol_ = 0;
  std::optional<Sealing> sealing_;
  std::unique_ptr<Service> service_;
  std::vector<RemoteRequest> requests_;
  std::unique_ptr<Exchange> exchange_;
};

}  // namespace shingled::storage::client
