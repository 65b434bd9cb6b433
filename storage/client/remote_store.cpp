#include "storage/client/remote_store.h"

#include <algorithm>
#include <utility>

#include "storage/client/exchange.h"
#include "storage/client/wait.h"

namespace shingled::storage::client {

/// The service that is asked and the one that is taught; the same object if the servers and keys
/// are the same.
class RemoteStore::Impl {
 public:
  std::shared_ptr<Service> read;
  std::shared_ptr<Service> write;

  [[nodiscard]] const std::shared_ptr<Service>& of(RemoteRequest::Kind kind) const {
    return RemoteRequest::is_update(kind) ? write : read;
  }
  [[nodiscard]] std::vector<Service*> all() const {
    if (read == write) return {read.get()};
    return {read.get(), write.get()};
  }
};

namespace {

/// Finds literal addresses only, which need no name server. Any other server has no address.
/// Threads: any thread.
class LiteralLookup final : public NameLookup {
 public:
  Result<UpstreamServer> find(const ServerSpec& spec) override {
    if (!spec.service.empty() || !IpAddress::parse(spec.socket.host))
      return UpstreamServer{spec.to_string(), spec.weight, {}};
    return SystemLookup(0).find(spec);
  }
};

Result<std::vector<UpstreamServer>> find_all(const ServerList& list, NameLookup& lookup) {
  if (list.empty()) return Error{ErrorCode::kInvalid, "no server is named"};
  std::vector<UpstreamServer> servers;
  for (const ServerSpec& spec : list.servers) {
    if (spec.socket.kind == SocketSpec::Kind::kUnix) {
      return Error{ErrorCode::kInvalid,
                   "'" + spec.socket.to_string() + "': a fuzzy service needs an IP address"};
    }
    auto server = lookup.find(spec);
    if (!server) return server.error();
    servers.push_back(*std::move(server));
  }
  return servers;
}

Result<std::shared_ptr<Service>> open_service(const RemoteOptions& options, const ServerList& list,
                                              const std::optional<crypto::PublicKey>& key,
                                              Clock& clock, Random& random, NameLookup& lookup) {
  const auto servers = find_all(list, lookup);
  if (!servers) return servers.error();
  std::optional<Sealing> sealing;
  if (key) {
    const Keypair own = crypto::generate_keypair(random);
    const auto shared = crypto::shared_key(own.secret_key, *key);
    if (!shared) return Error{ErrorCode::kInvalid, "the encryption key is not a public key"};
    sealing = Sealing{*key, own.public_key, *shared};
  }
  return std::make_shared<Service>(options, list, std::move(sealing), *servers, clock, random);
}

/// The requests of one batch that go to one service.
struct Errand {
  Service* service = nullptr;
  std::size_t batch = 0;
  std::vector<std::size_t> places;      // numbers in the batch; empty means all requests
  std::vector<RemoteRequest> requests;  // copies of these; empty if all requests are meant
};

/// Splits batches by service. Batches that mix questions and updates are rare.
std::vector<Errand> errands_of(std::span<const RemoteBatch> batches) {
  std::vector<Errand> out;
  for (std::size_t b = 0; b < batches.size(); ++b) {
    const RemoteStore::Impl& impl = batches[b].store->impl();
    const auto requests = batches[b].requests;
    const auto goes_to = [&](const RemoteRequest& request) { return impl.of(request.kind).get(); };
    for (Service* service : impl.all()) {
      Errand errand{service, b, {}, {}};
      for (std::size_t r = 0; r < requests.size(); ++r) {
        if (goes_to(requests[r]) == service) errand.places.push_back(r);
      }
      if (errand.places.empty()) continue;
      if (errand.places.size() == requests.size()) {
        errand.places.clear();
      } else {
        for (const std::size_t r : errand.places) errand.requests.push_back(requests[r]);
      }
      out.push_back(std::move(errand));
    }
  }
  return out;
}

}  // namespace

Result<std::unique_ptr<RemoteStore>> RemoteStore::open(const RemoteOptions& options, Clock& clock,
                                                       Random& random) {
  SystemLookup lookup(random.next_u64());
  return open(options, clock, random, lookup);
}

Result<std::unique_ptr<RemoteStore>> RemoteStore::open(const RemoteOptions& options, Clock& clock,
                                                       Random& random, NameLookup& lookup) {
  auto read =
      open_service(options, options.to_read(), options.key_to_read(), clock, random, lookup);
  if (!read) return read.error();
  auto impl = std::make_unique<Impl>();
  impl->read = *read;
  impl->write = *read;
  const bool same =
      options.to_read() == options.to_write() && options.key_to_read() == options.key_to_write();
  if (!same) {
    auto write =
        open_service(options, options.to_write(), options.key_to_write(), clock, random, lookup);
    if (!write) return write.error();
    impl->write = *write;
  }
  return std::unique_ptr<RemoteStore>(new RemoteStore(std::move(impl)));
}

Result<std::unique_ptr<RemoteStore>> RemoteStore::open_by_address(const RemoteOptions& options,
                                                                  Clock& clock, Random& random) {
  LiteralLookup lookup;
  return open(options, clock, random, lookup);
}

RemoteStore::RemoteStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RemoteStore::~RemoteStore() = default;
const RemoteOptions& RemoteStore::options() const { return impl_->read->options; }

std::vector<RemoteStore::NameFound> RemoteStore::look_up(NameLookup& lookup,
                                                         const std::stop_token& stop) {
  std::vector<NameFound> out;
  for (Service* service : impl_->all()) {
    const auto current = service->upstreams();
    std::vector<UpstreamServer> servers;
    for (const ServerSpec& spec : service->list.servers) {
      UpstreamServer server{spec.to_string(), spec.weight, current->addresses_of(servers.size())};
      if (!stop.stop_requested()) {
        auto found = lookup.find(spec);
        Status status = found ? Status() : Status(found.error());
        if (found) server = *std::move(found);
        out.push_back({spec.to_string(), std::move(status), !server.addresses.empty()});
      }
      servers.push_back(std::move(server));
    }
    if (!current->equals(servers)) service->move_to(servers);
  }
  return out;
}

bool RemoteStore::lacks_addresses() const {
  for (Service* service : impl_->all()) {
    const auto upstreams = service->upstreams();
    for (std::size_t s = 0; s < upstreams->servers(); ++s) {
      if (upstreams->addresses_of(s).empty()) return true;
    }
  }
  return false;
}

void RemoteStore::probe() {
  struct Probe {
    Service* service;
    std::shared_ptr<Upstreams> upstreams;
    std::vector<std::size_t> endpoints;
    std::vector<RemoteRequest> requests;
  };
  std::vector<Probe> probes;
  for (Service* service : impl_->all()) {
    Probe probe{service, service->upstreams(), {}, {}};
    probe.endpoints = probe.upstreams->to_probe(service->clock.now());
    probe.requests.resize(probe.endpoints.size());
    for (RemoteRequest& request : probe.requests)
      service->random.fill(request.fingerprint.digest.bytes);
    if (!probe.endpoints.empty()) probes.push_back(std::move(probe));
  }
  if (probes.empty()) return;
  Clock& clock = impl_->read->clock;
  const RemoteOptions& options = impl_->read->options;
  std::vector<Exchange> exchanges;
  exchanges.reserve(probes.size());  // `Wait` keeps references to them
  Wait wait(clock);
  for (const Probe& probe : probes) {
    exchanges.emplace_back(*probe.service, probe.upstreams, probe.requests, probe.endpoints,
                           clock.now());
    wait.add(*probe.service, exchanges.back());
  }
  wait.run(clock.now() + options.timeout * (options.retransmits + 1));
  for (std::size_t p = 0; p < probes.size(); ++p) {
    const auto answers = exchanges[p].answers();
    for (std::size_t i = 0; i < answers.size(); ++i) {
      using Outcome = RemoteAnswer::Outcome;
      const Outcome outcome = answers[i].outcome;
      if (outcome == Outcome::kTimeout || outcome == Outcome::kUnreachable)
        probes[p].upstreams->probe_failed(probes[p].endpoints[i], clock.now());
    }
  }
}

std::vector<ServerStatistics> RemoteStore::statistics() const {
  std::vector<ServerStatistics> out;
  for (Service* service : impl_->all()) {
    const auto upstreams = service->upstreams();
    std::vector<ServerStatistics> all = upstreams->statistics();
    for (std::size_t e = 0; e < all.size(); ++e) {
      ServerStatistics& statistics = all[e];
      statistics.tcp_idle = service->tcp.idle(upstreams->endpoints()[e].address);
      const auto same = std::find_if(out.begin(), out.end(), [&](const ServerStatistics& other) {
        return other.server == statistics.server;
      });
      if (same == out.end()) {
        out.push_back(std::move(statistics));
      } else {
        *same += statistics;
      }
    }
  }
  return out;
}

std::vector<std::vector<RemoteAnswer>> ask(std::span<const RemoteBatch> batches, TimePoint deadline,
                                           const std::stop_token& stop) {
  std::vector<std::vector<RemoteAnswer>> out;
  if (batches.empty()) return out;
  Clock& clock = batches.front().store->impl().read->clock;
  const std::vector<Errand> errands = errands_of(batches);
  std::vector<Exchange> exchanges;
  exchanges.reserve(errands.size());  // `Wait` keeps references to them
  Wait wait(clock);
  for (const Errand& errand : errands) {
    const std::span<const RemoteRequest> requests =
        errand.places.empty() ? batches[errand.batch].requests : std::span(errand.requests);
    exchanges.emplace_back(*errand.service, requests, Exchange::Audience::kAsNeeded, clock.now());
    wait.add(*errand.service, exchanges.back());
  }
  wait.run(deadline, stop);
  for (const RemoteBatch& batch : batches) out.emplace_back(batch.requests.size());
  for (std::size_t i = 0; i < errands.size(); ++i) {
    auto answers = exchanges[i].answers();
    for (std::size_t r = 0; r < answers.size(); ++r) {
      const std::size_t place = errands[i].places.empty() ? r : errands[i].places[r];
      out[errands[i].batch][place] = std::move(answers[r]);
    }
  }
  return out;
}

std::vector<RemoteAnswer> ask_each(RemoteStore& store, const RemoteRequest& request,
                                   TimePoint deadline) {
  const RemoteStore::Impl& impl = store.impl();
  const bool is_update = RemoteRequest::is_update(request.kind);
  const std::vector<Service*> services =
      is_update ? std::vector<Service*>{impl.write.get()} : impl.all();
  Clock& clock = impl.read->clock;
  std::vector<Exchange> exchanges;
  exchanges.reserve(services.size());
  Wait wait(clock);
  for (Service* service : services) {
    exchanges.emplace_back(*service, std::span(&request, 1), Exchange::Audience::kEveryone,
                           clock.now());
    wait.add(*service, exchanges.back());
  }
  wait.run(deadline);
  std::vector<RemoteAnswer> out;
  for (const Exchange& exchange : exchanges) {
    for (RemoteAnswer& answer : exchange.answers()) {
      const bool again = std::any_of(out.begin(), out.end(), [&](const RemoteAnswer& other) {
        return other.server == answer.server;
      });
      if (!again) out.push_back(std::move(answer));
    }
  }
  return out;
}

}  // namespace shingled::storage::client
