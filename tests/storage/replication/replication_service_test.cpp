// Covers storage/replication/secure_channel.cpp.
#include "storage/replication/replication_service.h"

#include <sys/socket.h>

#include <utility>

#include "config/base/guarded.h"
#include "config/base/zbase32.h"
#include "storage/replication/secure_channel.h"
#include "tests/storage/replication/replica_world.h"
#include "tests/support/fake_store.h"

namespace shingled::storage::replication {
namespace {

using shingled::testing::eventually;

class ReplicationServiceTest : public ::testing::Test {
 protected:
  ReplicationOptions mirror_options() {
    ReplicationOptions options;
    options.masters = {*Network::parse("127.0.0.1")};
    options.master_key = {master_.keys.public_key};
    options.sync_keypair = {mirror_.keys};
    options.listen = {{SocketSpec::Kind::kInet, "127.0.0.1", 0, ""}};
    return options;
  }
  void start_mirror(const ReplicationOptions& options) {
    auto started = ReplicationService::start(options, mirror_.options.hashfile, *mirror_.engine,
                                             clock_, random_, logger_);
    ASSERT_TRUE(started) << started.error().message;
    mirror_service_ = *std::move(started);
  }
  void start_master() {
    ReplicationOptions options;
    options.sync_keypair = {master_.keys};
    options.mirrors = {
        {"mirror",
         {SocketSpec::Kind::kInet, "127.0.0.1", mirror_service_->addresses().front().port(), ""},
         mirror_.keys.public_key}};
    auto started = ReplicationService::start(options, master_.options.hashfile, *master_.engine,
                                             clock_, random_, logger_);
    ASSERT_TRUE(started) << started.error().message;
    master_service_ = *std::move(started);
  }
  void teach(std::size_t count) {
    std::vector<Update> updates;
    for (std::size_t i = 0; i < count; ++i) {
      updates.push_back(
          {.flag = 1, .value = 1, .fingerprint = engine::random_fingerprint(seeded_)});
    }
    ASSERT_TRUE(master_.engine->apply(updates));
  }
  bool mirror_has_all() {
    return eventually([&] { return mirror_.engine->size() == master_.engine->size(); });
  }

  SystemClock clock_;
  SystemRandom random_;
  NullLogger logger_;
  engine::Seeded seeded_{20'261'130};
  ReplicaStore master_{clock_, random_, 100'000};
  ReplicaStore mirror_{clock_, random_, 0};
  std::unique_ptr<ReplicationService> mirror_service_;
  std::unique_ptr<ReplicationService> master_service_;
};

TEST_F(ReplicationServiceTest, AMirrorFollowsItsMaster) {
  teach(1000);
  start_mirror(mirror_options());
  start_master();
  EXPECT_TRUE(mirror_has_all());
  teach(1000);
  EXPECT_TRUE(mirror_has_all());
  EXPECT_EQ(mirror_.contents(), master_.contents());
  EXPECT_TRUE(eventually([&] {
    const ReplicationCounters counters = master_service_->counters();
    return counters.mirrors.size() == 1 && counters.mirrors[0].following &&
           counters.mirrors[0].lag_records == 0 && counters.mirrors[0].comparisons == 1;
  }));
}

TEST_F(ReplicationServiceTest, AMirrorThatComesBackContinues) {
  start_mirror(mirror_options());
  start_master();
  teach(10);
  EXPECT_TRUE(mirror_has_all());
  // The comparison is over, too: the mirror has a position from which it can continue.
  EXPECT_TRUE(eventually([&] { return mirror_.reader->position_of(master_.id)->has_value(); }));
  ReplicationOptions options = mirror_options();
  options.listen.front().port = mirror_service_->addresses().front().port();
  mirror_service_.reset();
  teach(500);
  start_mirror(options);
  EXPECT_TRUE(mirror_has_all());
  EXPECT_TRUE(eventually([&] {
    const ReplicationCounters counters = master_service_->counters();
    return counters.mirrors[0].following && counters.mirrors[0].failures > 0 &&
           counters.mirrors[0].lag_records == 0;
  }));
  EXPECT_EQ(master_service_->counters().mirrors[0].comparisons, 1U) << "only the first one";
  EXPECT_EQ(mirror_.contents(), master_.contents());
}

TEST_F(ReplicationServiceTest, ConnectionsFromOtherAddressesAreClosed) {
  ReplicationOptions options = mirror_options();
  options.masters = {*Network::parse("192.0.2.1")};
  start_mirror(options);
  start_master();
  EXPECT_TRUE(eventually([&] { return mirror_service_->counters().refused > 0; }));
}

/// Keeps the log lines of one event.
class EventKeeper final : public Logger {
 public:
  explicit EventKeeper(std::string event) : event_(std::move(event)) {}
  void write(LogLevel /*level*/, std::string_view line) override {
    if (line.find(event_) != std::string_view::npos) lines_.lock()->emplace_back(line);
  }
  [[nodiscard]] bool enabled(LogLevel /*level*/) const override { return true; }
  [[nodiscard]] std::vector<std::string> lines() { return *lines_.lock(); }

 private:
  const std::string event_;
  Guarded<std::vector<std::string>> lines_;
};

TEST_F(ReplicationServiceTest, AnotherKeyWithTheNameOfAMasterIsRefusedAndTheMasterStays) {
  const Keypair other = crypto::generate_keypair(random_);
  ReplicationOptions options = mirror_options();
  options.master_key.push_back(other.public_key);
  EventKeeper refused("master_refused");
  auto started = ReplicationService::start(options, mirror_.options.hashfile, *mirror_.engine,
                                           clock_, random_, refused);
  ASSERT_TRUE(started) << started.error().message;
  mirror_service_ = *std::move(started);
  start_master();
  teach(10);
  EXPECT_TRUE(mirror_has_all());
  const std::uint64_t failures = master_service_->counters().mirrors[0].failures;

  auto stream = TcpStream::connect(mirror_service_->addresses().front());
  ASSERT_TRUE(stream);
  auto liar = SecureChannel::call(other, mirror_.keys.public_key, random_);
  bool greeted = false;
  EXPECT_TRUE(eventually([&] {
    std::array<std::uint8_t, 1024> bytes{};
    const auto count = stream->read(bytes);
    if (count && *count > 0) (void)liar.take(BytesView(bytes).first(*count));
    if (liar.is_open() && !std::exchange(greeted, true)) {
      liar.send(encode_message(Greeting{master_.id}));
    }
    return !count || !stream->write(liar.output());
  })) << "the connection stays open";
  EXPECT_TRUE(eventually([&] { return refused.lines().size() == 1; }));
  const std::string key = to_zbase32(other.public_key).substr(0, 16);
  EXPECT_NE(refused.lines().at(0).find(key), std::string::npos) << refused.lines().at(0);
  teach(10);
  EXPECT_TRUE(mirror_has_all());
  EXPECT_EQ(master_service_->counters().mirrors[0].failures, failures)
      << "the connection of the master was not closed";
  mirror_service_.reset();  // its log ends here
}

TEST_F(ReplicationServiceTest, IdleConnectionsDoNotKeepAMasterOut) {
  EventKeeper crowded("replication_crowded");
  auto started = ReplicationService::start(mirror_options(), mirror_.options.hashfile,
                                           *mirror_.engine, clock_, random_, crowded);
  ASSERT_TRUE(started) << started.error().message;
  mirror_service_ = *std::move(started);
  std::vector<TcpStream> idle;
  for (int i = 0; i < 64; ++i) {
    auto stream = TcpStream::connect(mirror_service_->addresses().front());
    ASSERT_TRUE(stream);
    idle.push_back(*std::move(stream));
  }
  EXPECT_TRUE(eventually([&] { return mirror_service_->counters().refused >= 60; }))
      << mirror_service_->counters().refused;
  start_master();
  teach(10);
  EXPECT_TRUE(mirror_has_all());
  EXPECT_EQ(master_service_->counters().mirrors[0].failures, 0U);
  EXPECT_EQ(crowded.lines().size(), 1U);
  mirror_service_.reset();  // its log ends here
}

TEST_F(ReplicationServiceTest, NoiseIsNotAcceptedAsAMaster) {
  start_mirror(mirror_options());
  auto stream = TcpStream::connect(mirror_service_->addresses().front());
  ASSERT_TRUE(stream);
  Bytes noise(200, 'G');
  EXPECT_TRUE(eventually([&] { return stream->write(noise) && noise.empty(); }));
  std::array<std::uint8_t, 16> answer{};
  EXPECT_TRUE(eventually([&] { return !stream->read(answer); })) << "the connection stays open";
  EXPECT_TRUE(eventually([&] { return mirror_service_->counters().refused == 1; }));
}

}  // namespace
}  // namespace shingled::storage::replication
