// Packets that come faster than the server can answer them.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

#include "storage/protocol/codec.h"
#include "storage/server/fuzzy_server.h"
#include "tests/support/fake_store.h"
#include "tests/support/udp_peer.h"

namespace shingled::storage::server {
namespace {

using std::chrono::milliseconds;
using testing::eventually;
using testing::FakeStore;
using testing::UdpPeer;

/// A store whose look-ups take as long as the test wants.
class SlowStore final : public FuzzyStore {
 public:
  explicit SlowStore(std::function<void()> delay) : delay_(std::move(delay)) {}

  std::optional<Match> check(const Digest&, const Shingles*, std::uint32_t) const override {
    delay_();
    return std::nullopt;
  }
  std::vector<Match> check_all(const Fingerprint&, std::uint32_t, std::size_t) const override {
    return {};
  }
  void submit(Update update, UpdateDone done) override { store_.submit(update, std::move(done)); }
  std::uint64_t size() const override { return store_.size(); }

 private:
  std::function<void()> delay_;
  FakeStore store_;
};

std::chrono::nanoseconds wall_time() { return std::chrono::system_clock::now().time_since_epoch(); }

/// The time at which the one waiting packet came, as the kernel says; max() if it does not say.
std::chrono::nanoseconds stamp_of_next(int fd) {
  char byte = 0;
  iovec vector{&byte, 1};
  std::array<char, 256> control{};
  msghdr header{};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  if (recvmsg(fd, &header, 0) != 1) return std::chrono::nanoseconds::max();
  const cmsghdr* const message = CMSG_FIRSTHDR(&header);
  if (message == nullptr || message->cmsg_type != SO_TIMESTAMPNS)
    return std::chrono::nanoseconds::max();
  timespec stamp{};
  std::memcpy(&stamp, CMSG_DATA(message), sizeof stamp);
  return std::chrono::seconds(stamp.tv_sec) + std::chrono::nanoseconds(stamp.tv_nsec);
}

/// After the first socket has asked for timestamps, the kernel needs some time until it stamps
/// packets on arrival. Until then it gives the time at which they are read.
bool kernel_stamps_packets(UdpPeer& peer) {
  const int on = 1;
  if (setsockopt(peer.fd(), SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0) return false;
  constexpr std::array<std::uint8_t, 1> kPacket{1};
  return eventually([&] {
    peer.send(kPacket, peer.address());
    const auto sent = wall_time();
    while (wall_time() < sent + milliseconds(1)) std::this_thread::yield();
    return stamp_of_next(peer.fd()) <= sent;
  });
}

class OverloadTest : public ::testing::Test {
 protected:
  void start(milliseconds queue_wait_max, std::function<void()> delay) {
    store_ = std::make_unique<SlowStore>(std::move(delay));
    options_.listen = {*SocketSpec::parse("inet:0@127.0.0.1")};
    options_.threads = 1;
    options_.queue_wait_max = queue_wait_max;
    auto started = FuzzyServer::start(options_, *store_, clock_, random_, logger_);
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
    ASSERT_TRUE(kernel_stamps_packets(stamped_));
  }
  void send(protocol::CommandCode code, std::uint32_t tag) {
    protocol::Command command;
    command.code = code;
    command.tag = tag;
    command.value = 1;
    std::array<std::uint8_t, protocol::kCommandBytesMax> packet{};
    const std::size_t length = protocol::encode_command(command, packet);
    peer_.send(BytesView(packet).first(length), server_->addresses().front());
  }
  std::uint32_t answered_tag() {
    const auto packet = peer_.receive();
    return packet ? protocol::decode_reply(*packet)->tag : 0;
  }
  [[nodiscard]] std::uint64_t too_late() const { return server_->counters().too_late; }
  [[nodiscard]] std::uint64_t checks() const { return server_->counters().checks; }

  ServerOptions options_;
  SystemClock clock_;
  SystemRandom random_;
  NullLogger logger_;
  UdpPeer peer_;
  UdpPeer stamped_;  ///< keeps the kernel's timestamps switched on
  std::unique_ptr<SlowStore> store_;
  std::unique_ptr<FuzzyServer> server_;
};

TEST_F(OverloadTest, DropsChecksButNotUpdatesThatWaitedTooLong) {
  constexpr milliseconds kLimit{10};
  std::atomic<bool> stuck{false};
  std::atomic<bool> go_on{false};
  start(milliseconds(0), [&] {
    stuck = true;
    go_on.wait(false);
  });
  send(protocol::CommandCode::kCheck, 1);
  ASSERT_TRUE(eventually([&] { return stuck.load(); }));
  send(protocol::CommandCode::kCheck, 2);
  send(protocol::CommandCode::kPing, 3);
  send(protocol::CommandCode::kWrite, 4);
  const TimePoint sent = clock_.now();
  ASSERT_TRUE(eventually([&] { return clock_.now() > sent + 2 * kLimit; }));
  options_.queue_wait_max = kLimit;
  EXPECT_TRUE(server_->reload(options_));
  go_on = true;
  go_on.notify_all();
  EXPECT_EQ(answered_tag(), 1U);
  EXPECT_EQ(answered_tag(), 4U) << "no answer to 2 and 3, whose clients have given up";
  EXPECT_EQ(too_late(), 2U);
}

TEST_F(OverloadTest, DropsNothingWithoutALimit) {
  std::atomic<bool> stuck{false};
  std::atomic<bool> go_on{false};
  start(milliseconds(0), [&] {
    stuck = true;
    go_on.wait(false);
  });
  send(protocol::CommandCode::kCheck, 1);
  ASSERT_TRUE(eventually([&] { return stuck.load(); }));
  send(protocol::CommandCode::kCheck, 2);
  const TimePoint sent = clock_.now();
  ASSERT_TRUE(eventually([&] { return clock_.now() > sent + milliseconds(20); }));
  go_on = true;
  go_on.notify_all();
  EXPECT_EQ(answered_tag(), 1U);
  EXPECT_EQ(answered_tag(), 2U);
  EXPECT_EQ(too_late(), 0U);
}

// A look-up takes at least 1 ms. So on any machine, only a limited number of packets can be looked
// up within the limit after the last packet of the flood. All others must have been dropped.
TEST_F(OverloadTest, AnswersNoOldPacketsAfterAFlood) {
  constexpr milliseconds kLookUp{1};
  constexpr milliseconds kLimit{50};
  constexpr std::uint64_t kFlood = 2000;
  constexpr std::uint64_t kBatch = 64;  // read in time, so all its packets are answered
  start(kLimit, [&] {
    const TimePoint begun = clock_.now();
    while (clock_.now() - begun < kLookUp) std::this_thread::yield();
  });
  for (std::uint32_t i = 0; i < kFlood; ++i) send(protocol::CommandCode::kCheck, i);
  const std::uint64_t before = checks();
  // The kernel reports dropped packets with a later packet.
  ASSERT_TRUE(eventually([&] {
    send(protocol::CommandCode::kPing, 0);
    const ServerCounters seen = server_->counters();
    return seen.checks + seen.too_late + seen.kernel_drops >= kFlood && seen.pings != 0;
  }));
  EXPECT_GT(too_late(), 0U);
  EXPECT_LE(checks() - before, static_cast<std::uint64_t>(kLimit / kLookUp) + kBatch + 1);
}

}  // namespace
}  // namespace shingled::storage::server
