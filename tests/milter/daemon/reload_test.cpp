// Covers milter/daemon/serve.cpp.
// A reload and a start with a name server that does not answer.
#include <dlfcn.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <string_view>

#include "config/system/unique_fd.h"
#include "config/system/unix_address.h"
#include "tests/milter/daemon/daemon_fixture.h"

namespace {

/// While the daemon looks up this name, it waits until the test opens the pipe with this path.
constexpr std::string_view kSlowName = "slow.example";
std::string g_slow_pipe;  // set before the daemon is forked

}  // namespace

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** found) {
  if (node != nullptr && node == kSlowName) {
    const shingled::UniqueFd pipe(::open(g_slow_pipe.c_str(), O_RDONLY | O_CLOEXEC));
    return EAI_AGAIN;
  }
  const auto real = reinterpret_cast<decltype(&getaddrinfo)>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  return real(node, service, hints, found);
}

namespace shingled::milter::daemon {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Acts as the service manager: receives the messages of the daemon.
class ServiceManager {
 public:
  explicit ServiceManager(const std::string& path)
      : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    const SocketAddress address = *unix_address(path);
    EXPECT_EQ(::bind(fd_.get(), address.get(), address.length()), 0);
    const timeval patience{kPatience.count(), 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
    ::setenv("WATCHDOG_USEC", "200000", 1);
  }
  ~ServiceManager() {
    ::unsetenv("NOTIFY_SOCKET");
    ::unsetenv("WATCHDOG_USEC");
  }
  ServiceManager(const ServiceManager&) = delete;
  ServiceManager& operator=(const ServiceManager&) = delete;

  /// The first line of the next message; empty after a timeout.
  [[nodiscard]] std::string next() const {
    std::string text(1000, '\0');
    const ssize_t count = ::recv(fd_.get(), text.data(), text.size(), 0);
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return text.substr(0, text.find('\n'));
  }
  [[nodiscard]] bool hears(std::string_view what) const {
    for (std::string text = next(); !text.empty(); text = next()) {
      if (text == what) return true;
    }
    return false;
  }

 private:
  UniqueFd fd_;
};

TEST_F(DaemonTest, ReportsToTheWatchdogWhileAReloadWaitsForANameServer) {
  g_slow_pipe = directory_ + "/slow";
  ASSERT_EQ(::mkfifo(g_slow_pipe.c_str(), 0600), 0);
  const ServiceManager manager(directory_ + "/notify");
  start();
  ASSERT_TRUE(manager.hears("READY=1")) << log();
  std::ofstream(source_.file) << "rules: {far: {servers: '" << kSlowName << ":11335'}}\n";
  ::kill(child_, SIGHUP);
  ASSERT_TRUE(manager.hears("RELOADING=1")) << log();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(manager.next(), "WATCHDOG=1") << i;
  EXPECT_EQ(final_answer("Q1"), "a") << "and mail passes";
  const UniqueFd answered(::open(g_slow_pipe.c_str(), O_WRONLY | O_CLOEXEC));
  EXPECT_TRUE(manager.hears("READY=1"));
  EXPECT_THAT(log(), HasSubstr(std::string(kSlowName)));
  EXPECT_EQ(stop(), EX_OK);
}

TEST_F(DaemonTest, StartsAndServesMailWhileANameServerDoesNotAnswer) {
  g_slow_pipe = directory_ + "/slow";
  ASSERT_EQ(::mkfifo(g_slow_pipe.c_str(), 0600), 0);
  const ServiceManager manager(directory_ + "/notify");
  RuleOptions far;
  far.name = "far";
  far.remote.servers.servers = {*ServerSpec::parse(std::string(kSlowName) + ":11335"),
                                *ServerSpec::parse("192.0.2.1:11335")};
  far.remote.timeout = std::chrono::milliseconds(10);
  settings_.rules.push_back(far);
  start();
  ASSERT_TRUE(manager.hears("READY=1")) << log();
  EXPECT_EQ(final_answer("Q1"), "a") << "and mail passes";
  EXPECT_THAT(log(), Not(HasSubstr("fuzzy_name_lost"))) << "the result is not known yet";
  const UniqueFd answered(::open(g_slow_pipe.c_str(), O_WRONLY | O_CLOEXEC));
  EXPECT_TRUE(logs("fuzzy_name_lost rule=far server=slow.example:11335")) << log();
  EXPECT_EQ(stop(), EX_OK);
}

}  // namespace
}  // namespace shingled::milter::daemon
