#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <list>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "config/system/bound_socket.h"
#include "config/system/socket_address.h"
#include "config/system/unique_fd.h"
#include "config/system/unix_address.h"
#include "tests/support/seeded_random.h"
#include "tests/support/temporary_directory.h"

namespace shingled::testing {

/// A proxy between a client and a server on unix sockets. It cuts some connections when the server
/// has answered: some or all commands were executed, but the client gets no reply.
/// Threads: one inside; `cuts` from any thread.
class CuttingProxy {
 public:
  /// On average one exchange of `one_of` is cut.
  CuttingProxy(std::string server, std::uint32_t one_of, std::uint32_t seed)
      : server_(std::move(server)), one_of_(one_of), random_(seed) {
    auto bound = bind_socket(*unix_address(folder_.file("proxy")), {.backlog = 16});
    ok_ = bound.has_value();
    if (ok_) listener_ = std::move(bound->fd);
    thread_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) serve();
    });
  }

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] SocketSpec address() const {
    return {SocketSpec::Kind::kUnix, "", 0, folder_.file("proxy")};
  }
  [[nodiscard]] std::size_t cuts() const { return cuts_.load(); }

 private:
  enum class Fate {
    kPass,
    kCutAtOnce,    ///< when the reply begins: the server may not read the rest of the commands
    kCutWhenDone,  ///< when the server is silent: it has executed everything
  };
  struct Pair {
    UniqueFd client;
    UniqueFd server;
    Fate fate = Fate::kPass;
    bool is_asking = false;  ///< the last bytes came from the client
    bool answered = false;   ///< a reply was held back
  };
  static constexpr int kSilenceMs = 5;

  void serve() {
    std::vector<pollfd> waits = {{listener_.get(), POLLIN, 0}};
    for (const Pair& pair : pairs_) {
      waits.push_back({pair.client.get(), POLLIN, 0});
      waits.push_back({pair.server.get(), POLLIN, 0});
    }
    const bool is_silent = ::poll(waits.data(), waits.size(), kSilenceMs) == 0;
    std::size_t at = 1;
    for (auto pair = pairs_.begin(); pair != pairs_.end(); at += 2) {
      const bool done = is_silent && pair->answered;
      const bool stays = !done && (waits[at].revents == 0 || ask(*pair)) &&
                         (waits[at + 1].revents == 0 || answer(*pair));
      if (!stays && pair->fate != Fate::kPass) ++cuts_;
      pair = stays ? std::next(pair) : pairs_.erase(pair);
    }
    if (waits[0].revents != 0) accept();
  }
  void accept() {
    Pair pair{UniqueFd(::accept(listener_.get(), nullptr, nullptr)),
              UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0))};
    const SocketAddress other = *unix_address(server_);
    if (::connect(pair.server.get(), other.get(), other.length()) == 0) {
      pairs_.push_back(std::move(pair));
    }
  }
  /// Returns false if the connection is over.
  bool ask(Pair& pair) {
    if (!pair.is_asking && random_.next_u32() % one_of_ == 0) {
      pair.fate = random_.next_u32() % 2 == 0 ? Fate::kCutAtOnce : Fate::kCutWhenDone;
    }
    pair.is_asking = true;
    return pass_on(pair.client, &pair.server);
  }
  bool answer(Pair& pair) {
    pair.is_asking = false;
    if (pair.fate == Fate::kCutAtOnce) return false;
    pair.answered = pair.fate == Fate::kCutWhenDone;
    return pass_on(pair.server, pair.answered ? nullptr : &pair.client);
  }
  /// If `to` is null, the bytes are dropped.
  bool pass_on(const UniqueFd& from, const UniqueFd* to) {
    const ssize_t count = ::read(from.get(), bytes_.data(), bytes_.size());
    if (count <= 0) return false;
    std::string_view left(bytes_.data(), static_cast<std::size_t>(count));
    while (to != nullptr && !left.empty()) {
      const ssize_t sent = ::send(to->get(), left.data(), left.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      left.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  shingled::testing::TemporaryDirectory folder_;
  const std::string server_;
  const std::uint32_t one_of_;
  SeededRandom random_;
  UniqueFd listener_;
  bool ok_ = false;
  std::list<Pair> pairs_;
  std::array<char, 65'536> bytes_{};
  std::atomic<std::size_t> cuts_{0};
  std::jthread thread_;  ///< last: starts when all other members are there
};

}  // namespace shingled::testing
