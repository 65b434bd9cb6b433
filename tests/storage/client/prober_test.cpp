#include "storage/client/prober.h"

#include <gmock/gmock.h>

#include <thread>

#include "storage/protocol/codec.h"
#include "tests/support/manual_clock.h"
#include "tests/support/seeded_random.h"
#include "tests/support/udp_peer.h"

namespace shingled::storage::client {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ManualClock;
using testing::SeededRandom;
using testing::UdpPeer;

class ListLogger final : public Logger {
 public:
  void write(LogLevel level, std::string_view line) override {
    lines.push_back((level == LogLevel::kWarning ? "warning " : "") + std::string(line));
  }
  [[nodiscard]] bool enabled(LogLevel) const override { return true; }
  /// The lines since the last call.
  std::vector<std::string> take() { return std::exchange(lines, {}); }
  std::vector<std::string> lines;
};

class MovingName final : public NameLookup {
 public:
  Result<UpstreamServer> find(const ServerSpec& spec) override {
    ++asked;
    if (!address) return Error{ErrorCode::kUnavailable, "no name server"};
    return UpstreamServer{spec.to_string(), 1, {*address}};
  }
  std::optional<SocketAddress> address;
  int asked = 0;
};

class ProberTest : public ::testing::Test {
 protected:
  void open() {
    RemoteOptions options;
    options.servers.servers = {*ServerSpec::parse("fuzzy.example:11335")};
    options.errors_max = 1;
    options.revive_time = hours(2);
    options.resolve_interval = hours(3);
    name_.address = peer_.address();
    store_ = std::move(RemoteStore::open(options, clock_, random_, name_).value());
    name_.asked = 0;
  }
  RemoteAnswer::Outcome ask_one() {
    const RemoteRequest request;
    const RemoteBatch batch{store_.get(), {&request, 1}};
    return ask({&batch, 1}, clock_.now() + seconds(1))[0][0].outcome;
  }
  /// Loses the first `lost` packets, so that they time out, and answers the next `answered` ones.
  void serve(int lost, int answered) {
    for (int i = 0; i < lost + answered; ++i) {
      const auto packet = peer_.receive();
      if (!packet) return;
      if (i < lost) {
        clock_.advance(seconds(30));
        continue;
      }
      protocol::Reply reply;
      reply.tag = protocol::decode_command(*packet).value().tag;
      Bytes out(protocol::size_of(protocol::ReplyForm::kV2));
      (void)protocol::encode_reply(reply, protocol::ReplyForm::kV2, out);
      peer_.send(out, peer_.from());
    }
  }

  ManualClock clock_;
  SeededRandom random_{3};
  ListLogger logger_;
  UdpPeer peer_;
  MovingName name_;
  std::shared_ptr<RemoteStore> store_;
};

TEST_F(ProberTest, LogsAServerThatGoesAwayAndBringsItBack) {
  open();
  Prober prober({{"there", store_}}, clock_, logger_, name_);
  std::jthread server([&] { serve(2, 1); });
  EXPECT_EQ(ask_one(), RemoteAnswer::Outcome::kTimeout);
  prober.step();
  const std::string name = peer_.address().to_string();
  EXPECT_THAT(logger_.take(),
              ElementsAre(AllOf(HasSubstr("warning fuzzy_server_down"), HasSubstr("rule=there"),
                                HasSubstr("server=" + name), HasSubstr("timeouts=1"))));
  prober.step();
  EXPECT_THAT(logger_.take(), IsEmpty()) << "said once";
  clock_.advance(hours(1));
  prober.step();  // this probe is lost
  EXPECT_THAT(logger_.take(), Not(::testing::Contains(HasSubstr("fuzzy_server_up"))));
  EXPECT_TRUE(store_->statistics()[0].resting);
  clock_.advance(hours(2));
  prober.step();
  EXPECT_THAT(logger_.take(), ::testing::Contains(HasSubstr("fuzzy_server_up")));
  EXPECT_FALSE(store_->statistics()[0].resting);
}

TEST_F(ProberTest, LooksUpNamesWhenTheyAreDueAndLogsALostName) {
  open();
  Prober prober({{"there", store_}}, clock_, logger_, name_);
  clock_.advance(hours(2));
  prober.step();
  EXPECT_EQ(name_.asked, 0) << "not due";
  name_.address.reset();
  for (int i = 0; i < 3; ++i) {
    clock_.advance(hours(3));
    prober.step();
  }
  EXPECT_EQ(name_.asked, 3);
  EXPECT_THAT(logger_.take(),
              ElementsAre(AllOf(HasSubstr("warning fuzzy_name_lost"), HasSubstr("no name server"))))
      << "said once";
  const UdpPeer elsewhere;
  name_.address = elsewhere.address();
  clock_.advance(hours(3));
  prober.step();
  EXPECT_THAT(logger_.take(), ElementsAre(HasSubstr("fuzzy_name_found")));
  EXPECT_EQ(store_->statistics()[0].server, elsewhere.address().to_string());
}

TEST_F(ProberTest, TriesALostNameAgainAfterLongerAndLongerPausesAndLogsItOnce) {
  RemoteOptions options;
  options.servers.servers = {*ServerSpec::parse("fuzzy.example:11335")};
  options.resolve_interval = hours(3);
  store_ = std::move(RemoteStore::open_by_address(options, clock_, random_).value());
  Prober prober({{"there", store_}}, clock_, logger_, name_);
  prober.step();
  EXPECT_EQ(name_.asked, 1) << "at once";
  std::vector<int> after;  // seconds
  int waited = 0;
  for (int second = 1; second <= 1500; ++second) {
    clock_.advance(seconds(1));
    ++waited;
    const int before = name_.asked;
    prober.step();
    if (name_.asked == before) continue;
    after.push_back(std::exchange(waited, 0));
  }
  EXPECT_THAT(after, ElementsAre(5, 10, 20, 40, 80, 160, 300, 300, 300));
  EXPECT_THAT(
      logger_.take(),
      ElementsAre(AllOf(HasSubstr("warning fuzzy_name_lost"), HasSubstr("rule=there"),
                        HasSubstr("server=fuzzy.example:11335"), HasSubstr("addresses=none"))));
  name_.address = peer_.address();
  clock_.advance(minutes(5));
  prober.step();
  EXPECT_THAT(logger_.take(), ElementsAre(AllOf(HasSubstr("fuzzy_name_found"),
                                                HasSubstr("server=fuzzy.example:11335"))));
  const int asked = name_.asked;
  clock_.advance(minutes(10));
  prober.step();
  EXPECT_EQ(name_.asked, asked) << "found: due by resolve_interval again";
}

TEST_F(ProberTest, TheThreadLooksUpMissingNamesAtOnce) {
  RemoteOptions options;
  options.servers.servers = {*ServerSpec::parse("localhost:11335")};
  store_ = std::move(RemoteStore::open_by_address(options, clock_, random_).value());
  ProberThread thread({{"there", store_}}, clock_, random_, logger_);
  thread.wait_for_names(minutes(1));
  EXPECT_FALSE(store_->lacks_addresses());
}

TEST_F(ProberTest, ReportsEachServerThatWasAsked) {
  open();
  Prober prober({{"there", store_}}, clock_, logger_, name_);
  prober.report();
  EXPECT_THAT(logger_.take(), IsEmpty()) << "nobody asked anything";
  {
    std::jthread server([&] { serve(0, 1); });
    EXPECT_EQ(ask_one(), RemoteAnswer::Outcome::kMiss);
  }
  prober.step();
  EXPECT_THAT(logger_.take(), IsEmpty()) << "not yet";
  clock_.advance(Prober::kReportInterval);
  prober.step();
  EXPECT_THAT(logger_.take(), ElementsAre(AllOf(HasSubstr("fuzzy_server "), HasSubstr("requests=1"),
                                                HasSubstr("replies=1"), HasSubstr("mean_ms="))));
  prober.report();
  EXPECT_THAT(logger_.take(), IsEmpty()) << "nothing new";
}

TEST_F(ProberTest, ItsThreadEndsAtOnceAndReportsAtTheEnd) {
  open();
  std::jthread server([&] { serve(0, 1); });
  EXPECT_EQ(ask_one(), RemoteAnswer::Outcome::kMiss);
  { const ProberThread thread({{"there", store_}}, clock_, random_, logger_); }
  EXPECT_THAT(logger_.take(), ElementsAre(HasSubstr("requests=1")));
}

}  // namespace
}  // namespace shingled::storage::client
