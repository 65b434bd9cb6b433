#include "storage/client/name_lookup.h"

#include <arpa/nameser.h>
#include <netdb.h>
#include <netinet/in.h>
#include <resolv.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "storage/client/srv_answer.h"

namespace shingled::storage::client {

namespace {

constexpr int kSecondsPerTry = 2;
constexpr int kTries = 2;
constexpr std::size_t kMessageBytesMax = 65535;

/// The state of the resolver library; the destructor closes it.
/// Threads: one thread.
class Resolver {
 public:
  explicit Resolver(const std::optional<SocketAddress>& nameserver) {
    ok_ = res_ninit(&state_) == 0;
    state_.retrans = kSecondsPerTry;
    state_.retry = kTries;
    if (!nameserver || nameserver->family() != AF_INET) return;
    state_.nscount = 1;
    std::memcpy(&state_.nsaddr_list[0], nameserver->get(), sizeof(sockaddr_in));
  }
  ~Resolver() { res_nclose(&state_); }
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;
  Resolver(Resolver&&) = delete;
  Resolver& operator=(Resolver&&) = delete;

  /// The SRV records of a name; empty if the name has none.
  Result<std::vector<SrvRecord>> srv(const std::string& name) {
    if (!ok_) return Error{ErrorCode::kUnavailable, "cannot start the resolver library"};
    Bytes message(kMessageBytesMax);
    const int length = res_nquery(&state_, name.c_str(), ns_c_in, ns_t_srv, message.data(),
                                  static_cast<int>(message.size()));
    if (length < 0) {
      const int why = state_.res_h_errno;
      if (why == HOST_NOT_FOUND || why == NO_DATA) return std::vector<SrvRecord>();
      return Error{ErrorCode::kUnavailable,
                   "cannot look up SRV " + name + ": no answer from the name servers"};
    }
    const std::size_t got = std::min(static_cast<std::size_t>(length), message.size());
    auto records = parse_srv_answer(BytesView(message).first(got));
    if (!records) return Error{ErrorCode::kUnavailable, "SRV " + name + ": malformed answer"};
    return *std::move(records);
  }

 private:
  struct __res_state state_ {};
  bool ok_ = false;
};

}  // namespace

Result<UpstreamServer> SystemLookup::find(const ServerSpec& spec) {
  if (!spec.service.empty()) return find_service(spec);
  auto addresses = SocketAddress::resolve(spec.socket);
  if (!addresses) return addresses.error();
  if (addresses->size() > kAddressesMax) addresses->resize(kAddressesMax);
  return UpstreamServer{spec.to_string(), spec.weight, *std::move(addresses)};
}

Result<UpstreamServer> SystemLookup::find_service(const ServerSpec& spec) const {
  Resolver resolver(nameserver_);
  std::vector<SrvRecord> records;
  for (const char* transport : {"._tcp.", "._udp."}) {
    auto found = resolver.srv("_" + spec.service + transport + spec.socket.host);
    if (!found) return found.error();
    records = *std::move(found);
    if (!records.empty()) break;
  }
  if (records.empty()) {
    return Error{ErrorCode::kNotFound, "no SRV record for " + spec.to_string()};
  }
  order_srv(records, key_);
  UpstreamServer server{spec.to_string(), spec.weight, {}};
  Error last;
  for (const SrvRecord& record : records) {
    SocketSpec target;
    target.host = record.target;
    target.port = record.port;
    auto addresses = SocketAddress::resolve(target);
    if (!addresses) {
      last = addresses.error();
      continue;
    }
    for (const SocketAddress& address : *addresses) {
      if (server.addresses.size() < kAddressesMax) server.addresses.push_back(address);
    }
  }
  if (server.addresses.empty()) return last.in(spec.to_string());
  return server;
}

}  // namespace shingled::storage::client
