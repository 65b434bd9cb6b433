// A load generator for encrypted traffic, as ../shared/tools/fuzzyload is for packets in the clear.
//
//   sealed_load --port P --key PUBLIC [--hashes N] [--seconds S] [--clients C] [--shingles]
//               [--written]
//
// Writes N hashes in sealed requests and repeats each until it is acknowledged. Then it checks them
// for S seconds with 128 requests in flight and opens every answer. With --written, an earlier run
// has written the hashes. Requests are sealed before the measurement, so that the generator is not
// the slower side. The last line is JSON with the names of fuzzyload.
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/zbase32.h"
#include "config/system/unique_fd.h"
#include "storage/crypto/keypair.h"
#include "storage/protocol/codec.h"

namespace shingled::storage {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kInFlight = 128;
constexpr std::size_t kPoolTurns = 128;  ///< sealed requests for each place in flight, used in turn
constexpr std::size_t kBatch = 64;
constexpr std::chrono::milliseconds kPatience{1000};

struct Options {
  std::uint16_t port = protocol::kFuzzyPort;
  crypto::PublicKey server{};
  std::uint64_t hashes = 20'000;
  double seconds = 5;
  std::size_t clients = 4;  ///< each with its own key pair and socket
  bool with_shingles = false;
  bool written = false;
};

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "sealed_load: %s\n", why.c_str());
  std::exit(1);
}

Options parse(int count, char** words) {
  Options out;
  for (int i = 1; i < count; ++i) {
    const std::string_view name = words[i];
    if (name == "--shingles" || name == "--written") {
      (name == "--shingles" ? out.with_shingles : out.written) = true;
      continue;
    }
    if (i + 1 == count) fail("a value is missing for " + std::string(name));
    const char* value = words[++i];
    if (name == "--port") {
      out.port = static_cast<std::uint16_t>(std::atoi(value));
    } else if (name == "--key") {
      const auto key = from_zbase32(value);
      if (!key || key->size() != out.server.size()) fail("--key is no public key");
      std::ranges::copy(*key, out.server.begin());
    } else if (name == "--hashes") {
      out.hashes = std::strtoull(value, nullptr, 10);
    } else if (name == "--seconds") {
      out.seconds = std::atof(value);
    } else if (name == "--clients") {
      out.clients = std::strtoull(value, nullptr, 10);
    } else {
      fail("unknown option " + std::string(name));
    }
  }
  if (out.hashes == 0 || out.clients == 0 || out.clients > kInFlight)
    fail("--hashes must be above 0, --clients 1 to 128");
  return out;
}

/// Hash number i.
protocol::Command command_of(std::uint64_t i, bool with_shingles) {
  std::mt19937_64 random(i * 0x9e3779b97f4a7c15 + 17);
  protocol::Command command;
  command.flag = 1;
  command.value = 1;
  command.tag = static_cast<std::uint32_t>(i);
  for (std::uint8_t& byte : command.digest.bytes) byte = static_cast<std::uint8_t>(random());
  if (with_shingles) {
    command.shingle_count = kShingleCount;
    for (std::uint64_t& shingle : command.shingles) shingle = random();
  }
  return command;
}

struct Client {
  crypto::PublicKey key{};
  crypto::SharedKey shared;
  UniqueFd socket;
  std::vector<iovec> unsent;
};

/// A sealed request that can be sent many times, with the data to open its answer.
struct Request {
  Bytes packet;
  Client* client = nullptr;
  std::uint32_t tag = 0;  ///< tag modulo kInFlight is its place
};

struct Result {
  std::uint64_t answers = 0, wrong = 0, lost = 0, resent = 0;
  std::vector<float> microseconds;
  double seconds = 0;
};

class Load {
 public:
  explicit Load(const Options& options) : options_(options) {
    SystemRandom random;
    for (std::size_t i = 0; i < options.clients; ++i) {
      const Keypair keypair = crypto::generate_keypair(random);
      const auto shared = crypto::shared_key(keypair.secret_key, options.server);
      if (!shared) fail("--key is no public key");
      clients_.push_back({keypair.public_key, *shared, connect_to(options.port), {}});
    }
  }

  Request make(std::uint64_t hash, protocol::CommandCode code, std::uint32_t tag) {
    protocol::Command command = command_of(hash, options_.with_shingles);
    command.code = code;
    command.tag = tag;
    Bytes plain(protocol::kCommandBytesMax);
    plain.resize(protocol::encode_command(command, plain));
    Request request{Bytes(crypto::kRequestSealBytes + plain.size()), &client_of(tag), tag};
    crypto::Nonce nonce{};
    for (std::uint8_t& byte : nonce) byte = static_cast<std::uint8_t>(random_());
    (void)crypto::seal_request(options_.server, request.client->key, request.client->shared, nonce,
                               plain, request.packet);
    return request;
  }

  /// `next(place)`: the next request for that place in flight; null = none. `again`: an unanswered
  /// request is sent again; otherwise it counts as lost and the next one follows.
  template <typename Next>
  Result run(const Next& next, bool again) {
    Result result;
    places_.assign(kInFlight, {});
    const auto begun = SteadyClock::now();
    std::vector<std::size_t> due(kInFlight);
    for (std::size_t i = 0; i < kInFlight; ++i) due[i] = i;
    std::size_t busy = 0;
    auto looked = begun;
    for (;;) {
      for (const std::size_t place : due) {
        places_[place] = {next(place), SteadyClock::now()};
        if (places_[place].request == nullptr) continue;
        ++busy;
        send(*places_[place].request);
      }
      for (Client& client : clients_) flush(client);
      due.clear();
      if (busy == 0) break;
      for (Client& client : clients_) receive(client, result, due);
      busy -= due.size();
      const auto now = SteadyClock::now();
      if (now - looked < std::chrono::milliseconds(20)) continue;
      looked = now;
      for (std::size_t i = 0; i < kInFlight; ++i) {
        Place& place = places_[i];
        if (place.request == nullptr || now - place.sent < kPatience) continue;
        if (again) {
          ++result.resent;
          place.sent = now;
          send(*place.request);
        } else {
          ++result.lost;
          place.request = nullptr;
          due.push_back(i);
          --busy;
        }
      }
    }
    result.seconds = std::chrono::duration<double>(SteadyClock::now() - begun).count();
    return result;
  }

 private:
  struct Place {
    const Request* request = nullptr;
    SteadyClock::time_point sent{};
  };

  static UniqueFd connect_to(std::uint16_t port) {
    UniqueFd fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const SocketAddress server(*IpAddress::parse("127.0.0.1"), port);
    if (!fd || connect(fd.get(), server.get(), server.length()) != 0) fail("no socket");
    return fd;
  }

  Client& client_of(std::uint32_t tag) { return clients_[tag % kInFlight % clients_.size()]; }

  static void send(const Request& request) {
    auto& unsent = request.client->unsent;
    unsent.push_back({const_cast<std::uint8_t*>(request.packet.data()), request.packet.size()});
    if (unsent.size() == kBatch) flush(*request.client);
  }
  static void flush(Client& client) {
    std::array<mmsghdr, kBatch> headers{};
    for (std::size_t i = 0; i < client.unsent.size(); ++i) {
      headers[i].msg_hdr.msg_iov = &client.unsent[i];
      headers[i].msg_hdr.msg_iovlen = 1;
    }
    for (std::size_t sent = 0; sent < client.unsent.size();) {
      const int count = sendmmsg(client.socket.get(), &headers[sent],
                                 static_cast<unsigned>(client.unsent.size() - sent), 0);
      sent += count > 0 ? static_cast<std::size_t>(count) : 1;  // a lost packet is noticed later
    }
    client.unsent.clear();
  }

  void receive(const Client& client, Result& result, std::vector<std::size_t>& due) {
    std::array<std::array<std::uint8_t, 256>, kBatch> packets;
    std::array<iovec, kBatch> vectors{};
    std::array<mmsghdr, kBatch> headers{};
    for (std::size_t i = 0; i < kBatch; ++i) {
      vectors[i] = {packets[i].data(), packets[i].size()};
      headers[i].msg_hdr.msg_iov = &vectors[i];
      headers[i].msg_hdr.msg_iovlen = 1;
    }
    const int count = recvmmsg(client.socket.get(), headers.data(), kBatch, MSG_DONTWAIT, nullptr);
    const auto now = SteadyClock::now();
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      judge(client, BytesView(packets[at]).first(headers[at].msg_len), now, result, due);
    }
  }

  void judge(const Client& client, BytesView packet, SteadyClock::time_point now, Result& result,
             std::vector<std::size_t>& due) {
    std::array<std::uint8_t, protocol::kReplyBytesMax> plain{};
    const auto length = crypto::open(client.shared, packet, plain);
    const auto reply =
        length ? protocol::decode_reply(BytesView(plain).first(*length)) : std::nullopt;
    if (!reply) {
      ++result.wrong;
      return;
    }
    Place& place = places_[reply->tag % kInFlight];
    // A late answer: its place has given up on it.
    if (place.request == nullptr || place.request->tag != reply->tag) return;
    if (reply->probability < 0.5F) ++result.wrong;
    ++result.answers;
    result.microseconds.push_back(
        std::chrono::duration<float, std::micro>(now - place.sent).count());
    place.request = nullptr;
    due.push_back(reply->tag % kInFlight);
  }

  const Options options_;
  std::vector<Client> clients_;
  std::mt19937_64 random_{std::random_device()()};  // nonces must differ between runs
  std::vector<Place> places_;
};

double quantile(std::vector<float>& values, double part) {
  if (values.empty()) return 0;
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

int main_of(const Options& options) {
  Load load(options);
  std::uint64_t written = options.written ? options.hashes : 0;
  std::vector<Request> writing(kInFlight);
  const Result writes = load.run(
      [&](std::size_t place) -> const Request* {
        if (written == options.hashes) return nullptr;
        const auto tag = static_cast<std::uint32_t>(written * kInFlight + place);
        writing[place] = load.make(written++, protocol::CommandCode::kWrite, tag);
        return &writing[place];
      },
      true);
  if (!options.written) {
    std::fprintf(stderr, "wrote %llu hashes, %.0f/s\n",
                 static_cast<unsigned long long>(options.hashes),
                 static_cast<double>(options.hashes) / writes.seconds);
  }

  std::vector<Request> pool;
  std::mt19937_64 random(2);
  for (std::size_t i = 0; i < kInFlight * kPoolTurns; ++i) {
    pool.push_back(load.make(random() % options.hashes, protocol::CommandCode::kCheck,
                             static_cast<std::uint32_t>(i)));
  }
  std::vector<std::size_t> turns(kInFlight);
  const auto end = SteadyClock::now() + std::chrono::duration<double>(options.seconds);
  Result checks = load.run(
      [&](std::size_t place) -> const Request* {
        if (SteadyClock::now() >= end) return nullptr;
        return &pool[turns[place]++ % kPoolTurns * kInFlight + place];
      },
      false);
  std::printf(
      "{\"mode\":\"sealed\",\"qps\":%.1f,\"elapsed\":%.3f,\"replies\":%llu,\"lost\":%llu,"
      "\"wrong\":%llu,\"p50\":%.1f,\"p99\":%.1f}\n",
      static_cast<double>(checks.answers) / checks.seconds, checks.seconds,
      static_cast<unsigned long long>(checks.answers), static_cast<unsigned long long>(checks.lost),
      static_cast<unsigned long long>(checks.wrong), quantile(checks.microseconds, 0.5),
      quantile(checks.microseconds, 0.99));
  return writes.wrong + checks.wrong + checks.lost == 0 ? 0 : 1;
}

}  // namespace
}  // namespace shingled::storage

int main(int count, char** words) {
  return shingled::storage::main_of(shingled::storage::parse(count, words));
}
