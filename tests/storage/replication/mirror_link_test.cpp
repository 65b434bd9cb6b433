#include "storage/replication/mirror_link.h"

#include <poll.h>

#include "config/system/stream_listener.h"
#include "storage/replication/mirror_session.h"
#include "tests/storage/replication/replica_world.h"
#include "tests/support/fake_store.h"

namespace shingled::storage::replication {
namespace {

using shingled::testing::eventually;
using std::chrono::seconds;

class LineCounter final : public Logger {
 public:
  void write(LogLevel, std::string_view line) override {
    if (line.starts_with("mirror_lost")) ++lost;
    if (line.starts_with("mirror_following")) ++following;
  }
  [[nodiscard]] bool enabled(LogLevel) const override { return true; }
  int lost = 0;
  int following = 0;
};

/// A link over a socket to a mirror that followed before and may refuse new batches.
class MirrorLinkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    MemoryLink before(master_, mirror_, random_);
    before.connect();
    before.run();
    const auto place = SocketAddress::resolve({SocketSpec::Kind::kInet, "127.0.0.1", 0, ""});
    ASSERT_TRUE(place);
    auto listener = StreamListener::bind(place->front(), {.backlog = 1});
    ASSERT_TRUE(listener);
    listener_.emplace(*std::move(listener));
  }
  MirrorLink link() {
    ReplicationOptions options;
    options.sync_keypair = {master_.keys};
    const SocketSpec spec{SocketSpec::Kind::kInet, "127.0.0.1", listener_->address().port(), ""};
    return {{"mirror", spec, mirror_.keys.public_key},
            options,
            master_.id,
            *master_.reader,
            random_,
            logger_,
            [] {}};
  }
  void teach() {
    master_.apply({.flag = 1, .value = 1, .fingerprint = engine::random_fingerprint(seeded_)});
  }
  /// Runs one connection, until the mirror or the test ends it.
  void connection(MirrorLink& link, bool hang_up_once_praised = false) {
    ++connections_;
    const int praised = logger_.following;
    link.work(now_);  // the address
    ASSERT_TRUE(eventually([&] {
      pollfd polled = link.wanted();
      if (polled.fd >= 0 && ::poll(&polled, 1, 0) > 0) link.ready(polled.revents, now_);
      link.work(now_);
      mirror_step();
      if (hang_up_once_praised && caller_ && logger_.following > praised) hang_up();
      return !caller_ && called_ && link.wanted().fd < 0;
    }));
    called_ = false;
  }
  bool refuses_ = true;

  void mirror_step() {
    if (!caller_) {
      if (called_) return;
      auto next = listener_->accept();
      auto* const accepted = std::get_if<StreamListener::Accepted>(&next);
      if (accepted == nullptr) return;
      caller_.emplace(std::move(accepted->fd));
      called_ = true;
      session_ = std::make_unique<MirrorSession>(
          *mirror_.reader,
          [this](ReplicaBatch batch, const UpdateDone& done) {
            if (refuses_) return done(Error{ErrorCode::kUnavailable, "the disk is full"});
            mirror_.submit(std::move(batch), done);
          },
          SecureChannel::answer(mirror_.keys, {master_.keys.public_key}, random_), random_, [] {});
    }
    std::array<std::uint8_t, 65536> buffer{};
    const auto count = caller_->read(buffer);
    if (!count || !session_->receive(BytesView(buffer).first(*count))) return hang_up();
    if (session_->master() && !session_->has_begun() && !session_->begin()) return hang_up();
    if (!session_->work() || !caller_->write(session_->output())) hang_up();
  }
  void hang_up() {
    session_.reset();
    caller_.reset();
  }

  shingled::testing::SeededRandom random_{5};
  engine::Seeded seeded_{5};
  shingled::testing::ManualClock clock_;
  LineCounter logger_;
  ReplicaStore master_{clock_, random_, 1000};
  ReplicaStore mirror_{clock_, random_, 0};
  std::optional<StreamListener> listener_;
  std::optional<TcpStream> caller_;
  std::unique_ptr<MirrorSession> session_;
  bool called_ = false;
  int connections_ = 0;
  TimePoint now_ = clock_.now();
};

// Like any other mirror, it tells its position before its disk refuses. This alone is not a
// success.
TEST_F(MirrorLinkTest, ARefusingMirrorIsTriedMoreAndMoreRarelyAndLoggedOnce) {
  MirrorLink mirror = link();
  teach();
  const TimePoint end = now_ + seconds(60);
  while (now_ < end) {
    connection(mirror);
    if (HasFatalFailure()) return;
    EXPECT_LE(mirror.due(), now_ + kRetry.most);
    now_ = mirror.due();
  }
  EXPECT_LE(connections_, 40) << "and not ten per second";
  EXPECT_EQ(logger_.lost, 1);
  EXPECT_LE(logger_.following, 1);
}

TEST_F(MirrorLinkTest, AMirrorThatHasCommittedIsTriedAgainSoon) {
  MirrorLink mirror = link();
  teach();
  for (int i = 0; i < 6; ++i) {
    connection(mirror);
    if (HasFatalFailure()) return;
    now_ = mirror.due();
  }
  refuses_ = false;
  connection(mirror, true);
  EXPECT_EQ(mirror.due(), now_ + kRetry.first);
  EXPECT_EQ(logger_.lost, 2) << "a new failure is logged";
}

}  // namespace
}  // namespace shingled::storage::replication
