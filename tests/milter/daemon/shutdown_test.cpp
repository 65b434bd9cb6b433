// Covers milter/mta/milter_service.cpp, milter/mta/libmilter_mta.cpp.
// The end of the service: the answers to open connections, and how long it takes.
#include <gmock/gmock.h>
#include <poll.h>

#include <array>

#include "milter/mta/milter_service.h"
#include "tests/milter/daemon/daemon_fixture.h"

/// With this option a race ends the daemon with a special exit code, which the tests check.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" const char* __tsan_default_options() { return "halt_on_error=1"; }

namespace shingled::milter::daemon {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SilentLogger final : public Logger {
 public:
  void write(LogLevel, std::string_view) override {}
  [[nodiscard]] bool enabled(LogLevel) const override { return false; }
};

/// A milter service in a process of its own. It ends in two steps at orders of the test: first the
/// service is drained, then the process ends.
class DrainedService {
 public:
  DrainedService(const std::string& socket_path, const FailureOptions& on_failure) {
    std::array<int, 2> orders{};
    std::array<int, 2> reports{};
    if (::pipe(orders.data()) != 0 || ::pipe(reports.data()) != 0) return;
    child_ = ::fork();
    if (child_ == 0) {
      ::close(orders[1]);
      serve(socket_path, on_failure, orders[0], reports[1]);
    }
    ::close(orders[0]);
    ::close(reports[1]);
    orders_ = UniqueFd(orders[1]);
    reports_ = UniqueFd(reports[0]);
    read_report();
  }
  ~DrainedService() {
    orders_ = UniqueFd();  // the order to end the process
    if (child_ > 0) ::waitpid(child_, nullptr, 0);
  }
  DrainedService(const DrainedService&) = delete;
  DrainedService& operator=(const DrainedService&) = delete;

  void drain() {
    EXPECT_EQ(::write(orders_.get(), "d", 1), 1);
    read_report();
  }

 private:
  void read_report() const {
    char byte = 0;
    EXPECT_EQ(::read(reports_.get(), &byte, 1), 1);
  }

  [[noreturn]] static void serve(const std::string& path, const FailureOptions& on_failure,
                                 int orders, int reports) {
    auto settings = std::make_shared<Settings>();
    settings->milter.socket = {SocketSpec::Kind::kUnix, "", 0, path};
    settings->milter.on_failure = on_failure;
    SystemClock clock;
    SystemRandom random;
    SilentLogger logger;
    mta::MailCounters counters;
    auto scanner = judge::Scanner::open(settings, nullptr, clock, random);
    const judge::CurrentSnapshot current(
        std::make_shared<const judge::Snapshot>(judge::Snapshot{*std::move(scanner)}));
    auto service =
        mta::MilterService::open(settings->milter, current, clock, logger, counters, nullptr);
    if (!service) ::_exit(EX_UNAVAILABLE);
    std::jthread runs([&] { static_cast<void>((*service)->run()); });
    char byte = 'r';
    bool told = ::write(reports, &byte, 1) == 1;
    while (told && ::read(orders, &byte, 1) == 1) {
      (*service)->drain(clock.now());
      (*service)->stop();
      told = ::write(reports, &byte, 1) == 1;
    }
    (*service)->stop();
    runs.join();
    std::_Exit(EX_OK);
  }

  pid_t child_ = -1;
  UniqueFd orders_;
  UniqueFd reports_;
};

struct AnswerCase {
  const char* why;
  const char* client;
  char expected;
};

TEST(Shutdown, OpenConnectionsAreAnsweredByTheFailurePolicyOfTheirSender) {
  constexpr AnswerCase kCases[] = {
      {"a local address", "127.0.0.1", 't'},
      {"a local program", "localhost", 't'},
      {"a client that the MTA does not know is not local", "unknown", 'a'},
      {"others", "192.0.2.1", 'a'},
  };
  const FailureOptions on_failure{FailurePolicy::kTempfail, FailurePolicy::kReject,
                                  FailurePolicy::kAccept};
  for (const AnswerCase& c : kCases) {
    const std::string path = "/tmp/shingled-drain-" + std::to_string(::getpid());
    DrainedService service(path, on_failure);
    MilterClient idle(path, c.client);
    MilterClient open(path, c.client);
    ASSERT_TRUE(idle.begin("Q1") && !idle.end_of_message().empty()) << c.why;
    ASSERT_TRUE(open.begin("Q2")) << c.why;
    open.header("Subject", " hi");
    service.drain();
    EXPECT_EQ(idle.mail(), c.expected) << c.why;
    open.end_headers();
    open.body("text");
    const auto packets = open.end_of_message();
    ASSERT_FALSE(packets.empty()) << c.why;
    EXPECT_EQ(packets.back().command, c.expected) << c.why;
  }
}

/// Large enough that an unfinished message holds back the analysis of another.
std::string large_text() { return std::string(30'000'000, 'x'); }

TEST_F(DaemonTest, AnAnalysisLongerThanTheDrainTimeIsStoppedAndAnsweredByPolicy) {
  settings_.milter.drain_time = std::chrono::seconds(0);
  settings_.milter.memory_max = 100'000'000;  // enough for one of them
  start_and_wait();
  MilterClient half(settings_.milter.socket.path);
  ASSERT_TRUE(half.begin("Q1"));
  half.end_headers();
  half.body(large_text());
  MilterClient waiting(settings_.milter.socket.path);
  std::vector<MilterPacket> packets;
  ASSERT_TRUE(waiting.begin("Q2"));
  waiting.end_headers();
  waiting.body(std::string(2'000'000, 'y'));
  // Its analysis waits for memory, up to a minute.
  waiting.ask_for_the_end();
  EXPECT_TRUE(waiting.await_packet('p')) << "the MTA is asked for more time";
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(stop(), EX_OK);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, kPatience / 2);
  EXPECT_TRUE(waiting.await_packet('a'));
  EXPECT_THAT(log(), HasSubstr("queue_id=Q2 action=pass"));
  EXPECT_THAT(log(), HasSubstr("reason=\"the service ends\""));
  EXPECT_THAT(log(), HasSubstr("drain_incomplete messages="));
}

TEST_F(DaemonTest, UsesTheDrainTimeOfTheLastReload) {
  settings_.milter.drain_time = std::chrono::hours(1);
  start_and_wait();
  std::ofstream(source_.file) << "milter: {drain_time: 0s, socket: unix:"
                              << settings_.milter.socket.path
                              << "}\nstorage: {hashfile: " << settings_.storage.engine.hashfile
                              << "}\n";
  ::kill(child_, SIGHUP);
  ASSERT_TRUE(logs("reloaded"));
  EXPECT_THAT(log(), Not(HasSubstr("option=milter.drain_time")));
  MilterClient client(settings_.milter.socket.path);
  ASSERT_TRUE(client.begin("Q1"));
  EXPECT_EQ(stop(), EX_OK);
  EXPECT_THAT(log(), HasSubstr("drain_incomplete messages=1"));
}

/// For ThreadSanitizer: the threads of libmilter continue to run while the daemon ends.
TEST_F(DaemonTest, StopsManyTimesWithOpenConnections) {
  settings_.milter.drain_time = std::chrono::seconds(0);
  for (int round = 0; round < 10; ++round) {
    std::filesystem::remove(settings_.daemon.log_file);
    start_and_wait();
    std::vector<std::unique_ptr<MilterClient>> clients;
    for (int i = 0; i < 8; ++i) {
      clients.push_back(std::make_unique<MilterClient>(settings_.milter.socket.path));
      if (i % 4 == 1) clients.back()->send_mail("Q", {{"Subject", " hi"}}, long_text());
      if (i % 4 < 2) continue;
      ASSERT_TRUE(clients.back()->begin("Q"));
      if (i % 4 == 2) continue;
      clients.back()->end_headers();
      clients.back()->body(long_text());
    }
    std::jthread busy([&](const std::stop_token& enough) {
      while (!enough.stop_requested()) {
        MilterClient client(settings_.milter.socket.path);
        if (!client.ok()) break;
        client.send_mail("B", {{"Subject", " hi"}}, long_text());
      }
    });
    EXPECT_EQ(stop(), EX_OK) << round << '\n' << log();
    busy.request_stop();
  }
}

}  // namespace
}  // namespace shingled::milter::daemon
