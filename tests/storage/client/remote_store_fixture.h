#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "storage/client/remote_store.h"
#include "storage/crypto/keypair.h"
#include "storage/server/fuzzy_server.h"
#include "tests/storage/client/requests.h"
#include "tests/support/fake_store.h"
#include "tests/support/manual_clock.h"
#include "tests/support/udp_peer.h"

namespace shingled::storage::client {
namespace remote_store_test {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::FakeStore;
using testing::UdpPeer;
using Kind = RemoteRequest::Kind;
using Outcome = RemoteAnswer::Outcome;

inline SystemClock& system_clock() {
  static SystemClock clock;
  return clock;
}
inline SystemRandom& system_random() {
  static SystemRandom random;
  return random;
}

inline SocketSpec spec_of(const SocketAddress& address) {
  return SocketSpec::parse(address.to_string()).value();
}

inline std::unique_ptr<RemoteStore> open_store(std::vector<SocketSpec> servers,
                                               std::optional<crypto::PublicKey> key = std::nullopt,
                                               milliseconds timeout = milliseconds(5000)) {
  RemoteOptions options;
  for (SocketSpec& server : servers) options.servers.servers.push_back({std::move(server), {}, 1});
  options.encryption_key = key;
  options.timeout = timeout;
  options.retransmits = 20;
  return std::move(RemoteStore::open(options, system_clock(), system_random()).value());
}

inline TimePoint far() { return system_clock().now() + seconds(20); }

inline RemoteAnswer ask_one(RemoteStore& store, const RemoteRequest& request,
                            TimePoint deadline = far()) {
  const RemoteBatch batch{&store, {&request, 1}};
  return ask({&batch, 1}, deadline)[0][0];
}

/// Our own server over a fake store.
class Served {
 public:
  explicit Served(ServerOptions options = {}) {
    options.listen = {*SocketSpec::parse("inet:0@127.0.0.1")};
    options.threads = 2;
    server_ = std::move(
        server::FuzzyServer::start(options, store, system_clock(), system_random(), logger_)
            .value());
  }
  [[nodiscard]] SocketSpec spec() const { return spec_of(server_->addresses().front()); }
  FakeStore store;

 private:
  NullLogger logger_;
  std::unique_ptr<server::FuzzyServer> server_;
};

}  // namespace remote_store_test
}  // namespace shingled::storage::client
