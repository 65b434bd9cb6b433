// The counters over HTTP: one request for a message of 40 pieces (`/counters/take`: ask, then add),
// on connections that stay open. Server and clients are threads of this process; the processor time
// of each side is told apart by the clocks of the clients' threads.
//
//   counter_http [SECONDS [CONNECTIONS]]      default 10 and 8
#include <fmt/core.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "config/base/number_text.h"
#include "config/system/file_system.h"
#include "config/system/unique_fd.h"
#include "config/system/unix_address.h"
#include "milter/api/counters/counter_resource.h"
#include "milter/http/http_server.h"
#include "storage/counters/embedded/embedded_counters.h"

namespace {

using namespace shingled;
using namespace shingled::storage::counters;
namespace api = shingled::milter::api;
namespace http = shingled::milter::http;

constexpr std::size_t kPiecesPerMessage = 40;
constexpr std::uint64_t kNewPercent = 68;
constexpr std::uint64_t kKnownPieces = 1'000'000;

double seconds_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

[[noreturn]] void die(const std::string& why) {
  fmt::print(stderr, "{}\n", why);
  std::exit(1);
}

/// What the pages ask of a store.
class Store final : public CounterStore {
 public:
  explicit Store(EmbeddedCounters& counters) : counters_(counters) {}
  Status add(const Addition& addition, TimePoint) override { return counters_.add(addition); }
  CounterAnswers ask(std::span<const CounterKey> keys, std::span<const Window> windows,
                     TimePoint) override {
    return counters_.ask(keys, windows);
  }
  Result<std::vector<Entry>> series(const CounterKey& key, TimePoint) override {
    return counters_.series(key);
  }
  Result<std::unique_ptr<CounterCursor>> scan() override { return kNone; }
  Status import(std::span<const CounterSeries>, TimePoint) override { return kNone; }
  Status learn(std::span<const PastAddition>, TimePoint) override { return kNone; }
  Status forget(std::span<const CounterKey>, TimePoint) override { return kNone; }
  Status verify(const std::stop_token& stop) override { return counters_.verify(stop); }
  Slot present_slot() override { return counters_.present_slot(); }
  void report(MetricReport&) const override {}

 private:
  inline static const Error kNone{ErrorCode::kUnavailable, "not here"};
  EmbeddedCounters& counters_;
};

/// A client with one connection: the next message when the last one was answered.
class Client {
 public:
  Client(const std::string& path, std::uint64_t seed)
      : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)), random_(seed) {
    const SocketAddress address = *unix_address(path);
    if (::connect(fd_.get(), address.get(), address.length()) != 0) die("cannot connect");
  }

  void run(const std::atomic<bool>& stop) {
    while (!stop) {
      const std::string body = message();
      const std::string request = fmt::format(
                                      "POST /counters/take HTTP/1.1\r\nHost: "
                                      "localhost\r\nX-Shingled: 1\r\nContent-Length: {}\r\n\r\n",
                                      body.size()) +
                                  body;
      const auto begin = std::chrono::steady_clock::now();
      if (::send(fd_.get(), request.data(), request.size(), MSG_NOSIGNAL) !=
          static_cast<ssize_t>(request.size()))
        die("cannot send");
      read_reply();
      waits.push_back(
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
      bytes_sent += request.size();
    }
    processor = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  }

  std::vector<double> waits;
  double processor = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_read = 0;

 private:
  std::string message() {
    std::string body = R"({"space":"in","pieces":[)";
    for (std::size_t i = 0; i < kPiecesPerMessage; ++i) {
      constexpr std::array<const char*, 4> kTypes = {"link_host", "link", "subject",
                                                     "claimed_from"};
      fmt::format_to(std::back_inserter(body),
                     R"({}{{"type":"{}","piece":"name-{:x}.example.org"}})", i == 0 ? "" : ",",
                     kTypes[i % kTypes.size()], piece());
    }
    return body + R"(],"add":{"mass":1,"recipients":1,"bytes":12345,"spam":1}})";
  }
  std::uint64_t piece() {
    if (random_() % 100 < kNewPercent) return random_();
    const double u = std::uniform_real_distribution<double>(0, 1)(random_);
    return static_cast<std::uint64_t>(std::pow(double{kKnownPieces}, u));
  }
  void read_reply() {
    std::string text;
    std::size_t wanted = 0;
    while (wanted == 0 || text.size() < wanted) {
      const ssize_t count = ::recv(fd_.get(), buffer_.data(), buffer_.size(), 0);
      if (count <= 0) die("the connection was closed");
      text.append(buffer_.data(), static_cast<std::size_t>(count));
      const std::size_t head = text.find("\r\n\r\n");
      if (wanted != 0 || head == std::string::npos) continue;
      constexpr std::string_view kLength = "Content-Length: ";
      std::string_view rest = std::string_view(text).substr(text.find(kLength) + kLength.size());
      wanted = head + 4 + take_whole<std::size_t>(rest).value_or(0);
    }
    if (!text.starts_with("HTTP/1.1 200")) die(text);
    bytes_read += text.size();
  }

  UniqueFd fd_;
  std::mt19937_64 random_;
  std::array<char, 65'536> buffer_{};
};

}  // namespace

int main(int argc, char** argv) {
  const int seconds = argc > 1 ? std::atoi(argv[1]) : 10;
  const int connections = argc > 2 ? std::atoi(argv[2]) : 8;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("counter-http-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  SystemClock clock;
  const auto files = folder_files(folder);
  EmbeddedCounterOptions options;
  options.directory = folder;
  auto counters = EmbeddedCounters::open(options, *files, clock);
  if (!counters) die(counters.error().message);
  const auto store = std::make_shared<Store>(**counters);
  const api::CounterResource resource([&] { return api::SiteCounters{store, {1, 2, 3}}; }, clock);
  const api::Router router(resource.routes());
  SystemRandom random;
  http::HttpServerOptions service;
  service.body_bytes_max = 4U << 20U;
  service.listen = {{SocketSpec::Kind::kUnix, "", 0, folder / "http"}};
  auto server = http::HttpServer::start(
      service, [&](const http::HttpRequest& request) { return router.answer(request); }, clock,
      random);
  if (!server) die(server.error().message);

  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < connections; ++i)
    clients.push_back(std::make_unique<Client>(folder / "http", static_cast<std::uint64_t>(i)));
  std::atomic<bool> stop{false};
  const double processor_before = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  const double begin = seconds_of(CLOCK_MONOTONIC);
  std::vector<std::jthread> threads;
  for (auto& client : clients) threads.emplace_back([&] { client->run(stop); });
  std::jthread syncer([&](const std::stop_token& ended) {
    while (!ended.stop_requested()) {
      std::this_thread::sleep_for(options.sync);
      static_cast<void>((*counters)->sync());
      static_cast<void>((*counters)->maintain(ended));
    }
  });
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  stop = true;
  threads.clear();
  const double time = seconds_of(CLOCK_MONOTONIC) - begin;
  double of_server = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - processor_before;
  std::vector<double> waits;
  std::uint64_t sent = 0;
  std::uint64_t read = 0;
  for (const auto& client : clients) {
    of_server -= client->processor;
    sent += client->bytes_sent;
    read += client->bytes_read;
    waits.insert(waits.end(), client->waits.begin(), client->waits.end());
  }
  syncer.request_stop();
  syncer.join();
  server->reset();
  std::filesystem::remove_all(folder);
  if (waits.empty()) die("no answers");
  std::sort(waits.begin(), waits.end());
  const auto messages = static_cast<double>(waits.size());
  fmt::print("{:.0f} messages/s on {} connections, {} pieces each\n", messages / time, connections,
             kPiecesPerMessage);
  fmt::print(
      "server: {:.0f} us of processor a message, {:.2f} cores, {:.0f} messages/s on a core\n",
      of_server / messages * 1e6, of_server / time, messages / of_server);
  fmt::print("wait: p50 {:.0f} us, p99 {:.0f} us; request {} bytes, reply {} bytes\n",
             waits[waits.size() / 2] * 1e6, waits[waits.size() * 99 / 100] * 1e6,
             sent / waits.size(), read / waits.size());
}
