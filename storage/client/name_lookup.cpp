#include "storage/client/name_lookup.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <netdb.h>
#include <netinet/in.h>
#include <resolv.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "config/base/ascii.h"
#include "storage/client/upstreams.h"

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

namespace {

constexpr std::size_t kFixedBytes = 6;  // bytes in the data of a record before its target

bool is_host_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return ascii::is_alnum(c) || c == '-' || c == '_' || c == '.'; });
}

/// The value of an SRV record; nullopt if its data is malformed or has extra bytes.
std::optional<SrvRecord> parse_record(const ns_msg& message, const ns_rr& from) {
  if (ns_rr_rdlen(from) <= kFixedBytes) return std::nullopt;
  ByteReader data(BytesView(ns_rr_rdata(from), kFixedBytes));
  SrvRecord record;
  record.priority = ntohs(data.u16());
  record.weight = ntohs(data.u16());
  record.port = ntohs(data.u16());
  std::array<char, NS_MAXDNAME> target{};
  const int taken =
      ns_name_uncompress(ns_msg_base(message), ns_msg_end(message), ns_rr_rdata(from) + kFixedBytes,
                         target.data(), target.size());
  if (taken < 0 || kFixedBytes + static_cast<std::size_t>(taken) != ns_rr_rdlen(from)) {
    return std::nullopt;
  }
  record.target = ascii::to_lower(target.data());
  return record;
}

bool is_usable(const SrvRecord& record) {
  return record.target != "." && record.port != 0 && is_host_name(record.target);
}

}  // namespace

std::optional<std::vector<SrvRecord>> parse_srv_answer(BytesView bytes) {
  ns_msg message{};
  if (bytes.size() > NS_MAXMSG ||
      ns_initparse(bytes.data(), static_cast<int>(bytes.size()), &message) != 0 ||
      ns_msg_getflag(message, ns_f_qr) == 0 || ns_msg_getflag(message, ns_f_tc) != 0 ||
      ns_msg_getflag(message, ns_f_rcode) != ns_r_noerror) {
    return std::nullopt;
  }
  ns_rr record{};
  for (int i = 0; i < ns_msg_count(message, ns_s_qd); ++i) {
    if (ns_parserr(&message, ns_s_qd, i, &record) != 0) return std::nullopt;
  }
  std::vector<SrvRecord> out;
  for (int i = 0; i < ns_msg_count(message, ns_s_an); ++i) {
    if (ns_parserr(&message, ns_s_an, i, &record) != 0) return std::nullopt;
    if (ns_rr_type(record) != ns_t_srv || ns_rr_class(record) != ns_c_in) continue;
    auto service = parse_record(message, record);
    if (!service) return std::nullopt;
    if (is_usable(*service) && out.size() < kSrvRecordsMax) out.push_back(*std::move(service));
  }
  return out;
}

void order_srv(std::vector<SrvRecord>& records, std::uint64_t key) {
  std::stable_sort(records.begin(), records.end(),
                   [](const SrvRecord& a, const SrvRecord& b) { return a.priority < b.priority; });
  for (auto begin = records.begin(); begin != records.end();) {
    const auto end = std::find_if(begin, records.end(), [&](const SrvRecord& record) {
      return record.priority != begin->priority;
    });
    std::vector<Contender> contenders;
    for (auto record = begin; record != end; ++record) {
      // Weight 0 means "almost never": it counts as a hundredth of weight 1.
      const std::uint32_t weight = record->weight == 0 ? 1 : std::uint32_t{record->weight} * 100;
      contenders.push_back(
          {identity_of(record->target + ":" + std::to_string(record->port)), weight});
    }
    ServerSelection selection(Rotation::kRandom, contenders);
    std::vector<SrvRecord> ordered;
    for (const std::size_t i : selection.order(std::vector<bool>(contenders.size(), true), key))
      ordered.push_back(begin[static_cast<std::ptrdiff_t>(i)]);
    std::move(ordered.begin(), ordered.end(), begin);
    begin = end;
  }
}

}  // namespace shingled::storage::client
