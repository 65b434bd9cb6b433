// Floods of sealed packets, and their effect on an honest client.
//
//   sealed_flood --port P --key PUBLIC --kind none|fresh|forged|repeat [--rate N] [--seconds S]
//                [--server IP]
//
// fresh: each packet has its own valid key, all from one source. forged: sealed noise, each packet
// from another source (127.0.0.0/8). repeat: one recorded PING again and again; without a rate, as
// fast as possible. Meanwhile a client whose key the server knows asks every millisecond and waits
// for each answer. The last line is JSON: the latencies of the client in microseconds, and how many
// packets of the flood were sent and answered. For a server on an address other than loopback
// (--server), the flood comes from a source that is not exempt from its limits.
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "config/base/zbase32.h"
#include "config/system/unique_fd.h"
#include "storage/crypto/keypair.h"
#include "storage/protocol/codec.h"

namespace shingled::storage {
namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::duration;
using std::chrono::milliseconds;

constexpr std::size_t kForgers = 200;  ///< sockets, each with its own address

struct Options {
  std::uint16_t port = protocol::kFuzzyPort;
  crypto::PublicKey key{};
  IpAddress server = *IpAddress::parse("127.0.0.1");
  std::string kind = "none";
  double rate = 0;  ///< packets per second; 0 = as fast as possible
  double seconds = 3;
};

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "sealed_flood: %s\n", why.c_str());
  std::exit(1);
}

Options parse(int count, char** words) {
  Options out;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = words[i];
    const char* value = words[i + 1];
    if (name == "--port") {
      out.port = static_cast<std::uint16_t>(std::atoi(value));
    } else if (name == "--key") {
      const auto key = from_zbase32(value);
      if (!key || key->size() != out.key.size()) fail("--key is no public key");
      std::ranges::copy(*key, out.key.begin());
    } else if (name == "--kind") {
      out.kind = value;
    } else if (name == "--rate") {
      out.rate = std::atof(value);
    } else if (name == "--seconds") {
      out.seconds = std::atof(value);
    } else if (name == "--server") {
      const auto ip = IpAddress::parse(value);
      if (!ip) fail("--server is no address");
      out.server = *ip;
    } else {
      fail("unknown option " + std::string(name));
    }
  }
  return out;
}

UniqueFd socket_from(const IpAddress& from, const Options& options) {
  UniqueFd fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const SocketAddress own(from, 0);
  const SocketAddress server(options.server, options.port);
  if (!fd || bind(fd.get(), own.get(), own.length()) != 0 ||
      connect(fd.get(), server.get(), server.length()) != 0)
    fail("no socket");
  return fd;
}

class Client {
 public:
  explicit Client(const Options& options) : options_(options) {
    SystemRandom random;
    pair_ = crypto::generate_keypair(random);
    const auto shared = crypto::shared_key(pair_.secret_key, options.key);
    if (!shared) fail("--key is no public key");
    shared_ = *shared;
  }
  Bytes sealed(protocol::CommandCode code, std::uint32_t tag) {
    protocol::Command command;
    command.code = code;
    command.tag = tag;
    Bytes plain(protocol::kCommandBytesMax);
    plain.resize(protocol::encode_command(command, plain));
    Bytes packet(crypto::kRequestSealBytes + plain.size());
    crypto::Nonce nonce{};
    for (std::uint8_t& byte : nonce) byte = static_cast<std::uint8_t>(random_());
    (void)crypto::seal_request(options_.key, pair_.public_key, shared_, nonce, plain, packet);
    return packet;
  }

 private:
  const Options& options_;
  Keypair pair_;
  crypto::SharedKey shared_;
  std::mt19937_64 random_{std::random_device()()};
};

/// The packets of the flood, made before the measurement.
std::vector<Bytes> packets_of(const Options& options) {
  std::vector<Bytes> packets;
  const auto count = static_cast<std::size_t>(options.rate * options.seconds);
  std::mt19937_64 random(std::random_device{}());
  Client one(options);
  if (options.kind == "repeat") packets.push_back(one.sealed(protocol::CommandCode::kPing, 1));
  for (std::size_t i = 0; options.kind == "fresh" && i < count; ++i)
    packets.push_back(Client(options).sealed(protocol::CommandCode::kPing, 1));
  for (std::size_t i = 0; options.kind == "forged" && i < count; ++i) {
    packets.push_back(one.sealed(protocol::CommandCode::kPing, 1));
    for (std::size_t at = 12; at < packets.back().size(); ++at)
      packets.back()[at] = static_cast<std::uint8_t>(random());
  }
  return packets;
}

struct Flood {
  std::uint64_t sent = 0, answered = 0;
};

void flood(const Options& options, const std::vector<Bytes>& packets, const std::atomic<bool>& over,
           Flood& out) {
  if (packets.empty()) return;
  std::vector<UniqueFd> sockets;
  for (std::size_t i = 0; i < (options.kind == "forged" ? kForgers : 1); ++i) {
    IpAddress from = options.server;
    if (options.kind == "forged") {
      from.bytes[1] = static_cast<std::uint8_t>(1 + i);
      from.bytes[3] = 9;
    }
    sockets.push_back(socket_from(from, options));
  }
  const auto begun = SteadyClock::now();
  std::array<std::uint8_t, 256> reply{};
  while (!over) {
    const double passed = duration<double>(SteadyClock::now() - begun).count();
    const auto due =
        options.rate > 0 ? static_cast<std::uint64_t>(passed * options.rate) : out.sent + 64;
    for (; out.sent < due; ++out.sent) {
      const Bytes& packet = packets[out.sent % packets.size()];
      (void)!send(sockets[out.sent % sockets.size()].get(), packet.data(), packet.size(),
                  MSG_DONTWAIT);
    }
    while (recv(sockets[0].get(), reply.data(), reply.size(), MSG_DONTWAIT) > 0) ++out.answered;
    if (options.rate > 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

double quantile(std::vector<double>& values, double part) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

int main_of(const Options& options) {
  Client client(options);
  const UniqueFd socket = socket_from(*IpAddress::parse("127.0.0.1"), options);
  std::vector<double> latencies;
  std::uint64_t lost = 0;
  std::uint32_t tag = 0;
  const auto ask = [&](bool counts) {
    const Bytes packet = client.sealed(protocol::CommandCode::kCheck, ++tag);
    std::array<std::uint8_t, 256> reply{};
    while (recv(socket.get(), reply.data(), reply.size(), MSG_DONTWAIT) > 0) continue;
    const auto begun = SteadyClock::now();
    (void)!send(socket.get(), packet.data(), packet.size(), 0);
    pollfd wait{socket.get(), POLLIN, 0};
    if (poll(&wait, 1, 1000) <= 0) {
      lost += counts ? 1U : 0U;
    } else if (counts) {
      latencies.push_back(duration<double, std::micro>(SteadyClock::now() - begun).count());
    }
  };
  for (int i = 0; i < 10; ++i) ask(false);
  const std::vector<Bytes> packets = packets_of(options);
  std::atomic<bool> over{false};
  Flood result;
  std::thread flooder([&] { flood(options, packets, over, result); });
  const auto begun = SteadyClock::now();
  while (duration<double>(SteadyClock::now() - begun).count() < options.seconds) {
    ask(true);
    std::this_thread::sleep_for(milliseconds(1));
  }
  const double took = duration<double>(SteadyClock::now() - begun).count();
  over = true;
  flooder.join();
  const std::size_t answered = latencies.size();
  std::printf(
      "{\"kind\":\"%s\",\"asked\":%zu,\"lost\":%llu,\"p50\":%.0f,\"p99\":%.0f,"
      "\"flood_sent_s\":%.0f,\"flood_answers_s\":%.0f}\n",
      options.kind.c_str(), answered, static_cast<unsigned long long>(lost),
      quantile(latencies, 0.5), quantile(latencies, 0.99), static_cast<double>(result.sent) / took,
      static_cast<double>(result.answered) / took);
  return 0;
}

}  // namespace
}  // namespace shingled::storage

int main(int count, char** words) {
  return shingled::storage::main_of(shingled::storage::parse(count, words));
}
