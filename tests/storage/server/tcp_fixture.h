#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "storage/protocol/codec.h"
#include "storage/server/fuzzy_server.h"
#include "tests/support/fake_store.h"
#include "tests/support/tcp_peer.h"

namespace shingled::storage::server {

/// A server with a store that the test controls, and requests to the server.
class TcpServerFixture : public ::testing::Test {
 protected:
  using FakeStore = testing::FakeStore;
  using TcpPeer = testing::TcpPeer;

  TcpServerFixture() {
    options_.listen = {*SocketSpec::parse("inet:0@127.0.0.1")};
    options_.threads = 2;
    options_.tcp_timeout = std::chrono::hours(1);  // tests of the timeout set their own
  }
  void start(FakeStore::Commit commit = FakeStore::Commit::kAtOnce) {
    store_ = std::make_unique<FakeStore>(commit);
    auto started = FuzzyServer::start(options_, *store_, clock_, random_, logger_);
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
  }
  [[nodiscard]] SocketAddress address() const { return server_->addresses().front(); }
  [[nodiscard]] ServerCounters counters() const { return server_->counters(); }

  static protocol::Command command(protocol::CommandCode code, std::uint32_t tag) {
    protocol::Command command;
    command.code = code;
    command.tag = tag;
    command.flag = 5;
    command.value = 1;
    command.digest.bytes.fill(static_cast<std::uint8_t>(tag));
    return command;
  }
  static Bytes packet_of(const protocol::Command& command) {
    Bytes packet(protocol::kFrameBytesMax);
    packet.resize(protocol::encode_command(command, packet));
    return packet;
  }
  static Bytes packet_of(protocol::CommandCode code, std::uint32_t tag) {
    return packet_of(command(code, tag));
  }
  static std::optional<protocol::Reply> receive(TcpPeer& peer) {
    const auto packet = peer.receive();
    return packet ? protocol::decode_reply(*packet) : std::nullopt;
  }
  static std::optional<protocol::Reply> exchange(TcpPeer& peer, protocol::CommandCode code,
                                                 std::uint32_t tag) {
    peer.send_frame(packet_of(code, tag));
    return receive(peer);
  }

  ServerOptions options_;
  SystemClock clock_;
  SystemRandom random_;
  NullLogger logger_;
  std::unique_ptr<FakeStore> store_;
  std::unique_ptr<FuzzyServer> server_;
};

}  // namespace shingled::storage::server
