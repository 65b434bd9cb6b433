#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>

#include "milter/daemon/daemon.h"
#include "mime/analyze.h"
#include "storage/client/remote_store.h"
#include "tests/milter/daemon/milter_client.h"

namespace shingled::milter::daemon {

inline constexpr std::chrono::seconds kPatience{60};

/// Waits until the condition holds; false after a timeout.
inline bool eventually(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

inline std::string long_text() {
  std::ostringstream text;
  for (int i = 0; i < 120; ++i) text << "word" << i << (i % 10 == 9 ? "\r\n" : " ");
  return text.str();
}

/// Runs the daemon in a process of its own, with its own directory.
class DaemonTest : public ::testing::Test {
 protected:
  DaemonTest() {
    char name[] = "/tmp/shingled-daemon-XXXXXX";
    directory_ = ::mkdtemp(name);
    settings_.daemon.log_file = directory_ + "/log";
    settings_.milter.socket = {SocketSpec::Kind::kUnix, "", 0, directory_ + "/milter.sock"};
    settings_.storage.engine.hashfile = directory_ + "/fuzzy.db";
    settings_.counters.embedded.directory = directory_ + "/counters";
    settings_.storage.server.listen = {{SocketSpec::Kind::kInet, "127.0.0.1", 0, ""}};
    settings_.storage.server.threads = 1;
    settings_.http.listen.clear();
    source_.file = directory_ + "/shingled.yaml";
  }
  ~DaemonTest() override {
    if (child_ > 0) {
      ::kill(child_, SIGKILL);
      wait_for_exit();
    }
    std::filesystem::remove_all(directory_);
  }

  void start() {
    std::fflush(nullptr);
    child_ = ::fork();
    if (child_ != 0) return;
    if (std::freopen("/dev/null", "w", stderr) == nullptr) ::_exit(EX_OSERR);
    std::_Exit(run_daemon(std::make_shared<const Settings>(settings_), source_));
  }
  void start_and_wait() {
    start();
    ASSERT_TRUE(eventually([&] { return log().find("started") != std::string::npos; })) << log();
  }
  int wait_for_exit() {
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  int stop() {
    ::kill(child_, SIGTERM);
    return wait_for_exit();
  }
  [[nodiscard]] std::string log() const { return read(settings_.daemon.log_file); }
  [[nodiscard]] static std::string read(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  [[nodiscard]] bool logs(const std::string& text) const {
    return eventually([&] { return log().find(text) != std::string::npos; });
  }
  /// Asks the daemon's storage over UDP, as `add` does.
  storage::client::RemoteAnswer ask_storage(const storage::client::RemoteRequest& request) const {
    const std::string lines = log();
    const std::size_t at = lines.rfind("storage=127.0.0.1:") + std::string("storage=").size();
    RemoteOptions options;
    options.servers.servers = {*ServerSpec::parse(lines.substr(at, lines.find(' ', at) - at))};
    SystemClock clock;
    SystemRandom random;
    auto store = storage::client::RemoteStore::open(options, clock, random);
    return storage::client::ask_each(**store, request, clock.now() + kPatience).at(0);
  }
  void learn(const Digest& digest, std::uint32_t flag, std::int32_t value) const {
    const auto answer = ask_storage({storage::client::RemoteRequest::Kind::kAdd, flag, value,
                                     Fingerprint{digest, std::nullopt}});
    EXPECT_EQ(answer.outcome, storage::client::RemoteAnswer::Outcome::kDone) << answer.error;
  }
  [[nodiscard]] static Digest digest_of(const std::string& subject) {
    const std::string message = "Subject: " + subject + "\r\n\r\n" + long_text();
    const auto analysis = mime::analyze(message, MimeOptions{});
    return mime::hash_message(analysis, mime::HashRule()).at(0).fingerprint.digest;
  }
  std::string final_answer(const std::string& queue_id) {
    MilterClient client(settings_.milter.socket.path);
    const auto packets = client.send_mail(queue_id, {{"Subject", " hi"}}, long_text());
    if (packets.empty()) return "none";
    return packets.back().command + packets.back().data;
  }

  std::string directory_;
  Settings settings_;
  SettingsSource source_;
  pid_t child_ = -1;
};

}  // namespace shingled::milter::daemon
