#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "config/base/guarded.h"
#include "config/base/random.h"
#include "config/options/rule_options.h"
#include "storage/client/tcp_pool.h"
#include "storage/client/upstreams.h"
#include "storage/crypto/keypair.h"
#include "storage/crypto/packet_cipher.h"

namespace shingled::storage::client {

/// Our side of an encrypted conversation: one key pair for the life of the process, so that the
/// servers can keep the shared key.
struct Sealing {
  crypto::PublicKey server{};
  crypto::PublicKey own{};
  crypto::SharedKey key;
};

/// What all requests to one list of servers share.
/// Threads: any thread.
class Service {
 public:
  Service(RemoteOptions service_options, ServerList server_list,
          std::optional<Sealing> service_sealing, const std::vector<UpstreamServer>& servers,
          Clock& service_clock, Random& service_random)
      : options(std::move(service_options)),
        list(std::move(server_list)),
        sealing(std::move(service_sealing)),
        clock(service_clock),
        random(service_random),
        tcp(options),
        upstreams_(std::in_place, make_upstreams(servers)) {}

  const RemoteOptions options;
  const ServerList list;
  const std::optional<Sealing> sealing;
  Clock& clock;
  Random& random;
  TcpPool tcp;

  [[nodiscard]] Rotation rotation() const { return list.rotation; }
  /// The servers at their addresses of now; an exchange keeps those it began with.
  [[nodiscard]] std::shared_ptr<Upstreams> upstreams() { return *upstreams_.lock(); }
  /// The names have other addresses now. What is known about an address that stays is kept.
  void move_to(const std::vector<UpstreamServer>& servers) {
    const auto fresh = make_upstreams(servers);
    auto current = upstreams_.lock();
    fresh->inherit(**current);
    *current = fresh;
    std::vector<SocketAddress> addresses;
    for (const auto& endpoint : fresh->endpoints()) addresses.push_back(endpoint.address);
    tcp.keep_only(addresses);
  }

 private:
  [[nodiscard]] std::shared_ptr<Upstreams> make_upstreams(
      const std::vector<UpstreamServer>& servers) const {
    const RestPolicy policy{options.errors_max, options.revive_time};
    return std::make_shared<Upstreams>(servers, list.rotation, policy);
  }

  Guarded<std::shared_ptr<Upstreams>> upstreams_;
};

}  // namespace shingled::storage::client
