#pragma once

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "storage/redis/route/redis_connection.h"
#include "tests/storage/redis/route/redis_process.h"
#include "tests/support/free_port.h"

namespace shingled::testing {

/// A Redis cluster for one test, on loopback: three masters with one replica each. Each write is in
/// a file before its reply, and outlives a kill without being synced.
/// Threads: one thread.
class ClusterProcess {
 public:
  static constexpr std::size_t kNodes = 6;
  static bool installed() {
    return RedisProcess::installed() && std::filesystem::exists("/usr/bin/redis-cli");
  }

  ~ClusterProcess() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) kill9(i);
  }
  ClusterProcess() = default;
  ClusterProcess(const ClusterProcess&) = delete;
  ClusterProcess& operator=(const ClusterProcess&) = delete;

  /// Returns false if the cluster did not start.
  bool start() {
    for (std::size_t i = 0; i < kNodes; ++i) {
      nodes_.emplace_back();
      run(i);
    }
    for (const Node& node : nodes_) {
      if (!until([&] { return ask(node.port.number(), {"PING"}).text == "PONG"; })) return false;
    }
    std::string command = "redis-cli --cluster create";
    for (const Node& node : nodes_) command += " 127.0.0.1:" + std::to_string(node.port.number());
    command += " --cluster-replicas 1 --cluster-yes >'" + folder_.file("create.log") + "' 2>&1";
    if (std::system(command.c_str()) != 0) return false;
    return until([&] { return is_whole(); });
  }
  /// Whether all slots are served and every master has a replica with the same data.
  [[nodiscard]] bool is_whole() const {
    std::size_t masters = 0;
    for (const Node& node : nodes_) {
      if (ask(node.port.number(), {"CLUSTER", "INFO"}).text.find("cluster_state:ok") ==
          std::string::npos) {
        return false;
      }
      const std::string role = ask(node.port.number(), {"INFO", "replication"}).text;
      if (role.find("role:master") == std::string::npos) continue;
      ++masters;
      if (role.find("state=online") == std::string::npos) return false;
    }
    return masters == kNodes / 2;
  }
  [[nodiscard]] bool wait_until_whole() const {
    return until([&] { return is_whole(); });
  }
  [[nodiscard]] bool is_master(std::size_t node) const {
    return ask(port(node), {"INFO", "replication"}).text.find("role:master") != std::string::npos;
  }
  /// The number of a node that is currently a master.
  [[nodiscard]] std::size_t a_master() const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (is_master(i)) return i;
    }
    return 0;
  }
  void kill9(std::size_t node) {
    pid_t& child = nodes_[node].child;
    if (child <= 0) return;
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    child = -1;
  }
  /// Stops the process: connections are accepted, but there are no replies.
  void freeze(std::size_t node) const { ::kill(nodes_[node].child, SIGSTOP); }
  void thaw(std::size_t node) const { ::kill(nodes_[node].child, SIGCONT); }
  /// Starts a node, or starts it again after it was killed.
  void run(std::size_t node) {
    const std::string number = std::to_string(node);
    std::vector<std::string> words = {"redis-server",
                                      "--port",
                                      std::to_string(port(node)),
                                      "--cluster-port",
                                      std::to_string(nodes_[node].bus.number()),
                                      "--bind",
                                      "127.0.0.1",
                                      "--cluster-enabled",
                                      "yes",
                                      "--cluster-config-file",
                                      "nodes-" + number + ".conf",
                                      "--cluster-node-timeout",
                                      "1500",
                                      "--dir",
                                      folder_.file(""),
                                      "--appendonly",
                                      "yes",
                                      "--appendfsync",
                                      "no",
                                      "--appenddirname",
                                      "aof-" + number,
                                      "--save",
                                      "",
                                      "--dbfilename",
                                      "dump-" + number + ".rdb",
                                      "--logfile",
                                      folder_.file(("redis-" + number + ".log").c_str()),
                                      "--repl-diskless-sync-delay",
                                      "0"};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
      ::execv("/usr/bin/redis-server", arguments.data());
      ::_exit(127);
    }
    nodes_[node].child = child;
  }

  /// Waits until a replica has all that the master has now. `tag`: of a slot of that master.
  [[nodiscard]] bool wait_for_replica(std::size_t master, std::string_view tag) const {
    const std::string key = "{" + std::string(tag) + "}";
    storage::redis::CommandList commands;
    commands.add({"SET", key, "1"});
    commands.add({"DEL", key});
    commands.add({"WAIT", "1", "20000"});
    const TimePoint deadline = clock_.now() + std::chrono::seconds(30);
    auto connection =
        storage::redis::RedisConnection::open(address(port(master)), {}, deadline, clock_);
    if (!connection) return false;
    const auto replies = (*connection)->ask(commands, deadline);
    return replies && replies->back().integer >= 1;
  }

  [[nodiscard]] std::vector<SocketSpec> seeds() const {
    return {address(port(0)), address(port(1))};
  }
  [[nodiscard]] std::uint16_t port(std::size_t node) const { return nodes_[node].port.number(); }
  [[nodiscard]] storage::redis::RedisReply ask(
      std::uint16_t port, std::initializer_list<std::string_view> words) const {
    storage::redis::CommandList commands;
    commands.add(words);
    const TimePoint deadline = clock_.now() + std::chrono::seconds(20);
    auto connection = storage::redis::RedisConnection::open(address(port), {}, deadline, clock_);
    if (!connection) return {};
    auto replies = (*connection)->ask(commands, deadline);
    return replies ? replies->front() : storage::redis::RedisReply{};
  }
  /// All keys of all masters, sorted.
  [[nodiscard]] std::vector<std::string> keys() const {
    std::vector<std::string> names;
    for (const Node& node : nodes_) {
      if (ask(node.port.number(), {"INFO", "replication"}).text.find("role:master") ==
          std::string::npos) {
        continue;
      }
      for (const auto& element : ask(node.port.number(), {"KEYS", "*"}).elements) {
        names.push_back(element.text);
      }
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  struct Node {
    FreePort port;
    FreePort bus;
    pid_t child = -1;
  };

  static SocketSpec address(std::uint16_t port) {
    return {SocketSpec::Kind::kInet, "127.0.0.1", port, ""};
  }
  template <typename Condition>
  [[nodiscard]] bool until(const Condition& condition) const {
    const TimePoint deadline = clock_.now() + std::chrono::seconds(90);
    while (!condition()) {
      if (clock_.now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }

  shingled::testing::TemporaryDirectory folder_;
  SystemClock clock_;
  std::vector<Node> nodes_;
};

}  // namespace shingled::testing
