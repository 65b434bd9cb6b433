// Covers milter/daemon/start.cpp, milter/process/process_control.cpp.
#include "milter/daemon/daemon.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "storage/crypto/keypair.h"
#include "tests/milter/daemon/daemon_fixture.h"

namespace shingled::milter::daemon {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(DaemonTest, JudgesMailAndKeepsHashesOverARestart) {
  settings_.daemon.pid_file = directory_ + "/pid";
  start_and_wait();
  EXPECT_EQ(read(settings_.daemon.pid_file), std::to_string(child_) + "\n");
  EXPECT_EQ(final_answer("Q1"), "a");
  learn(digest_of("hi"), 11, 20);
  EXPECT_EQ(final_answer("Q2").substr(0, 10), "y550 5.7.1");
  EXPECT_TRUE(logs("message queue_id=Q1 action=pass"));
  EXPECT_TRUE(logs("message queue_id=Q2 action=reject"));
  EXPECT_EQ(stop(), EX_OK);
  EXPECT_FALSE(std::filesystem::exists(settings_.daemon.pid_file));
  EXPECT_FALSE(std::filesystem::exists(settings_.milter.socket.path));

  std::filesystem::remove(settings_.daemon.log_file);
  start_and_wait();
  EXPECT_EQ(final_answer("Q3").substr(0, 4), "y550");
  EXPECT_EQ(stop(), EX_OK);
}

TEST_F(DaemonTest, RemovesForgedHeadersAndAddsItsOwn) {
  start_and_wait();
  learn(digest_of("hi"), 12, 9);
  MilterClient client(settings_.milter.socket.path);
  const auto packets = client.send_mail(
      "Q1", {{"X-SHINGLED-SCORE", " 0"}, {"Subject", " hi"}, {"x-shingled-score", " 0"}},
      long_text());
  ASSERT_EQ(packets.size(), 7U);
  const std::string second("\0\0\0\2x-shingled-score\0\0", 22);
  EXPECT_EQ(packets[0].command, 'm');
  EXPECT_EQ(packets[0].data, second);
  EXPECT_EQ(packets[1].data[3], 1);
  EXPECT_EQ(packets[2].command, 'h');
  EXPECT_EQ(packets[2].data, std::string("X-Spam\0 Yes\0", 12));
  EXPECT_EQ(packets[6].command, 'a');
  EXPECT_EQ(stop(), EX_OK);
}

TEST_F(DaemonTest, AcceptsAHeaderLongerThanTheDefaultBoundOfLibmilter) {
  start_and_wait();
  MilterClient client(settings_.milter.socket.path);
  const auto packets =
      client.send_mail("Q1", {{"X-Long", std::string(200'000, 'x')}, {"Subject", " hi"}}, "text");
  ASSERT_FALSE(packets.empty()) << "the connection broke";
  EXPECT_EQ(packets.back().command, 'a');
  EXPECT_EQ(stop(), EX_OK);
}

TEST_F(DaemonTest, ServesManyConnectionsAtOnce) {
  start_and_wait();
  constexpr int kConnections = 8;
  constexpr int kMessages = 20;
  std::atomic<int> accepted{0};
  {
    std::vector<std::jthread> threads;
    for (int c = 0; c < kConnections; ++c) {
      threads.emplace_back([&, c] {
        MilterClient client(settings_.milter.socket.path);
        for (int m = 0; m < kMessages; ++m) {
          const auto packets =
              client.send_mail(std::to_string(c * 100 + m), {{"Subject", " hi"}}, long_text());
          if (!packets.empty() && packets.back().command == 'a') ++accepted;
        }
      });
    }
  }
  EXPECT_EQ(accepted, kConnections * kMessages);
  EXPECT_EQ(stop(), EX_OK);
}

TEST_F(DaemonTest, ReloadsAndKeepsTheOldSettingsWhenTheNewOnesAreWrong) {
  start_and_wait();
  std::ofstream(source_.file) << "milter:\n  rejct_text: x\n  timeout: nonsense\n";
  ::kill(child_, SIGHUP);
  EXPECT_TRUE(logs("reload_failed"));
  EXPECT_TRUE(logs("rejct_text"));
  EXPECT_TRUE(logs("nonsense")) << "every problem, not only the first";
  EXPECT_EQ(final_answer("Q1"), "a");

  std::ofstream(source_.file) << "milter:\n  reject_text: Go away\n  socket: unix:/elsewhere\n";
  ::kill(child_, SIGHUP);
  EXPECT_TRUE(logs("reloaded"));
  EXPECT_TRUE(logs("reload_needs_restart option=milter.socket"));
  EXPECT_THAT(log(), Not(HasSubstr("option=milter.enabled")));
  learn(digest_of("hi"), 11, 20);
  EXPECT_EQ(final_answer("Q2"), "y550 5.7.1 Go away (id Q2)" + std::string(1, '\0'));
  EXPECT_EQ(stop(), EX_OK);
}

TEST_F(DaemonTest, SurvivesAStormOfSignals) {
  std::ofstream(source_.file) << "daemon:\n  log_level: info\n";
  start_and_wait();
  for (int i = 0; i < 50; ++i) {
    ::kill(child_, SIGUSR1);
    ::kill(child_, SIGHUP);
  }
  EXPECT_TRUE(logs("reloaded"));
  EXPECT_EQ(final_answer("Q1"), "a");
  EXPECT_EQ(stop(), EX_OK);
}

TEST_F(DaemonTest, ReopensItsLogAfterRotation) {
  start_and_wait();
  std::filesystem::rename(settings_.daemon.log_file, settings_.daemon.log_file + ".1");
  ::kill(child_, SIGUSR1);
  EXPECT_TRUE(logs("log_reopened"));
  EXPECT_EQ(final_answer("Q1"), "a");
  EXPECT_TRUE(logs("queue_id=Q1"));
  EXPECT_EQ(stop(), EX_OK);
}

TEST_F(DaemonTest, FinishesTheMessageUnderWayBeforeItStops) {
  start_and_wait();
  MilterClient client(settings_.milter.socket.path);
  ASSERT_TRUE(client.begin("Q1"));
  ::kill(child_, SIGTERM);
  EXPECT_TRUE(logs("stopping"));
  client.header("Subject", " hi");
  client.end_headers();
  client.body(long_text());
  const auto packets = client.end_of_message();
  ASSERT_FALSE(packets.empty());
  EXPECT_EQ(packets.back().command, 'a');
  EXPECT_EQ(wait_for_exit(), EX_OK);
  EXPECT_THAT(log(), AllOf(HasSubstr("queue_id=Q1"), Not(HasSubstr("drain_incomplete"))));
}

TEST_F(DaemonTest, CutsOffAMessageThatTakesLongerThanTheDrainTime) {
  settings_.milter.drain_time = std::chrono::seconds(0);
  start_and_wait();
  MilterClient client(settings_.milter.socket.path);
  ASSERT_TRUE(client.begin("Q1"));
  EXPECT_EQ(stop(), EX_OK);
  EXPECT_THAT(log(), HasSubstr("drain_incomplete messages=1"));
}

TEST_F(DaemonTest, TakesOverTheSocketOfAKilledDaemon) {
  settings_.milter.socket_mode = 0600;
  start_and_wait();
  ::kill(child_, SIGKILL);
  EXPECT_EQ(wait_for_exit(), -SIGKILL);
  ASSERT_TRUE(std::filesystem::exists(settings_.milter.socket.path));
  std::filesystem::remove(settings_.daemon.log_file);
  start_and_wait();
  struct stat info {};
  ASSERT_EQ(::stat(settings_.milter.socket.path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  EXPECT_EQ(final_answer("Q1"), "a");
  EXPECT_EQ(stop(), EX_OK);
}

TEST_F(DaemonTest, DoesNotTakeOverTheSocketOfARunningDaemon) {
  start_and_wait();
  const pid_t first = child_;
  settings_.daemon.log_file = directory_ + "/log2";
  start();
  EXPECT_EQ(wait_for_exit(), EX_UNAVAILABLE);
  EXPECT_THAT(log(), AllOf(HasSubstr("fatal"), HasSubstr("milter.sock")));
  child_ = first;
  EXPECT_EQ(final_answer("Q1"), "a");
  EXPECT_EQ(stop(), EX_OK);
}

struct BadStart {
  const char* why;
  std::function<void(Settings&, const std::string&)> break_it;
  int code;
  const char* names;
};

TEST_F(DaemonTest, TellsWhyItCannotStart) {
  const BadStart cases[] = {
      {"the folder of the database is missing",
       [](Settings& s, const std::string& d) { s.storage.engine.hashfile = d + "/none/fuzzy.db"; },
       0, "none/fuzzy.db"},
      {"the file is not a database",
       [](Settings& s, const std::string& d) {
         s.storage.engine.hashfile = d + "/other";
         std::ofstream(d + "/other") << std::string(8192, 'x');
       },
       EX_DATAERR, "other"},
      {"an unknown user",
       [](Settings& s, const std::string&) { s.daemon.user = "no-such-user-here"; }, EX_CONFIG,
       "no-such-user-here"},
      {"an unknown socket group",
       [](Settings& s, const std::string&) { s.milter.socket_group = "no-such-group-here"; },
       EX_CONFIG, "no-such-group-here"},
      {"the address of the storage does not exist",
       [](Settings& s, const std::string&) { s.storage.server.listen[0].host = "192.0.2.77"; }, 0,
       "192.0.2.77"},
      {"a list file is missing: its option is named, not that of the port",
       [](Settings& s, const std::string& d) {
         s.storage.server.files.allow_update = {d + "/none"};
       },
       EX_CONFIG, "\"storage.allow_update: "},
      {"a private key of another pair: its option is named, not that of the port",
       [](Settings& s, const std::string&) {
         SystemRandom random;
         Keypair pair = storage::crypto::generate_keypair(random);
         pair.public_key = storage::crypto::generate_keypair(random).public_key;
         s.storage.server.keypair = {pair};
       },
       EX_CONFIG, "\"storage.keypair: "},
      {"the port is in use: its option is named",
       [](Settings& s, const std::string&) { s.storage.server.listen[0].host = "192.0.2.77"; }, 0,
       "\"storage.listen: "},
      {"the pid file's directory is missing",
       [](Settings& s, const std::string& d) { s.daemon.pid_file = d + "/none/pid"; },
       EX_UNAVAILABLE, "none/pid"},
  };
  const Settings good = settings_;
  for (const BadStart& c : cases) {
    settings_ = good;
    std::filesystem::remove(settings_.daemon.log_file);
    c.break_it(settings_, directory_);
    start();
    const int code = wait_for_exit();
    EXPECT_NE(code, EX_OK) << c.why;
    if (c.code != 0) {
      EXPECT_EQ(code, c.code) << c.why << log();
    }
    EXPECT_THAT(log(), AllOf(HasSubstr("fatal"), HasSubstr(c.names))) << c.why;
  }
}

TEST_F(DaemonTest, CanRunOnlyTheStorage) {
  settings_.milter.enabled = false;
  start_and_wait();
  learn(digest_of("hi"), 11, 20);
  EXPECT_FALSE(std::filesystem::exists(settings_.milter.socket.path));
  EXPECT_EQ(stop(), EX_OK);
}

TEST_F(DaemonTest, ReadsAChangedListFileAndKeepsRateLimitsInAFileNextToTheHashes) {
  const std::string writers = directory_ + "/writers";
  std::ofstream(writers) << "localhost\n";
  settings_.storage.server.allow_update.clear();
  settings_.storage.server.files.allow_update = {writers};
  settings_.storage.server.ratelimit.rate = 1;
  settings_.storage.server.ratelimit.burst = 1;
  start_and_wait();
  learn(digest_of("one"), 11, 20);
  std::ofstream(writers + ".new") << "192.0.2.1 # nobody here\n";
  std::filesystem::rename(writers + ".new", writers);
  const auto read_twice = [&] {
    const std::string lines = log();
    return lines.find("list_read") != lines.rfind("list_read");
  };
  ASSERT_TRUE(eventually(read_twice)) << log();
  const auto refused = [&] {
    const auto answer = ask_storage({storage::client::RemoteRequest::Kind::kAdd, 11, 20,
                                     Fingerprint{digest_of("two"), std::nullopt}});
    return answer.outcome == storage::client::RemoteAnswer::Outcome::kRefused;
  };
  EXPECT_TRUE(eventually(refused)) << "the log line is written before the workers see the list";
  EXPECT_EQ(stop(), EX_OK);
  EXPECT_TRUE(std::filesystem::exists(settings_.storage.engine.hashfile + ".ratelimits"));
  start_and_wait();
  EXPECT_TRUE(logs("fuzzy_ratelimits_restored"));
  EXPECT_EQ(stop(), EX_OK);
}

}  // namespace
}  // namespace shingled::milter::daemon
