#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "storage/redis/route/redis_connection.h"
#include "tests/support/temporary_directory.h"

namespace shingled::testing {

#define SHINGLED_NEED_REDIS()                        \
  if (!shingled::testing::RedisProcess::installed()) \
  GTEST_SKIP() << "the package redis-server is not installed"

/// A redis-server for one test, on a unix socket in a temporary folder. Each write is in its file
/// before its reply, and outlives a kill without being synced.
/// Threads: one thread.
class RedisProcess {
 public:
  static bool installed() { return std::filesystem::exists("/usr/bin/redis-server"); }

  explicit RedisProcess(std::vector<std::string> more = {}) : more_(std::move(more)) {}
  ~RedisProcess() { kill9(); }
  RedisProcess(const RedisProcess&) = delete;
  RedisProcess& operator=(const RedisProcess&) = delete;

  /// Starts the server with the data that it has written before, and waits until it answers.
  /// Returns false if it does not.
  bool start() {
    std::vector<std::string> words = {"redis-server",
                                      "--port",
                                      "0",
                                      "--unixsocket",
                                      socket(),
                                      "--dir",
                                      folder_.file(""),
                                      "--appendonly",
                                      "yes",
                                      "--appendfsync",
                                      "no",
                                      "--save",
                                      "",
                                      "--daemonize",
                                      "no",
                                      "--logfile",
                                      folder_.file("redis.log")};
    words.insert(words.end(), more_.begin(), more_.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    child_ = ::fork();
    if (child_ == 0) {
      ::execv("/usr/bin/redis-server", arguments.data());
      ::_exit(127);
    }
    return answers();
  }
  void kill9() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    child_ = -1;
    // An absent socket refuses at once, like the socket of a dead server.
    std::filesystem::remove(socket());
  }
  /// Stops the process: connections are accepted, but there are no replies.
  void freeze() const { ::kill(child_, SIGSTOP); }
  void thaw() const { ::kill(child_, SIGCONT); }

  [[nodiscard]] std::string socket() const { return folder_.file("redis.sock"); }
  [[nodiscard]] SocketSpec address() const { return {SocketSpec::Kind::kUnix, "", 0, socket()}; }

  /// Sends one command over another connection and returns the reply, which may be ignored.
  storage::redis::RedisReply ask(  // NOLINT(modernize-use-nodiscard)
      std::initializer_list<std::string_view> words) const {
    storage::redis::CommandList commands;
    commands.add(words);
    const TimePoint deadline = clock_.now() + std::chrono::seconds(20);
    auto connection = storage::redis::RedisConnection::open(address(), {}, deadline, clock_);
    if (!connection) return failed(connection.error());
    auto replies = (*connection)->ask(commands, deadline);
    return replies ? replies->front() : failed(replies.error());
  }
  /// All keys, sorted.
  [[nodiscard]] std::vector<std::string> keys() const {
    std::vector<std::string> names;
    for (const auto& element : ask({"KEYS", "*"}).elements) names.push_back(element.text);
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  static storage::redis::RedisReply failed(const Error& error) {
    return {.kind = storage::redis::RedisReply::Kind::kError, .text = error.message};
  }
  [[nodiscard]] bool answers() const {
    const TimePoint deadline = clock_.now() + std::chrono::seconds(30);
    while (clock_.now() < deadline) {
      if (ask({"PING"}).text == "PONG") return true;
      if (::waitpid(child_, nullptr, WNOHANG) != 0) return false;
      std::this_thread::yield();
    }
    return false;
  }

  shingled::testing::TemporaryDirectory folder_;
  std::vector<std::string> more_;
  SystemClock clock_;
  pid_t child_ = -1;
};

}  // namespace shingled::testing
