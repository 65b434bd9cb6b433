// An update counts once, even if its packet comes again, from any sender.
#include "storage/server/pending_updates.h"

#include <gtest/gtest.h>

#include "storage/crypto/keypair.h"
#include "storage/engine/engine.h"
#include "storage/server/request_handler.h"
#include "tests/support/fake_store.h"
#include "tests/support/manual_clock.h"
#include "tests/support/seeded_random.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::server {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using testing::FakeStore;
using Taken = PendingUpdates::Taken;

class PendingUpdatesTest : public ::testing::Test {
 protected:
  PendingUpdatesTest() {
    server_ = crypto::generate_keypair(random_);
    client_ = crypto::generate_keypair(random_);
    ServerOptions options;
    options.keypair = {server_};
    options.allow_update = {*Network::parse("0.0.0.0/0")};
    handler_.use(std::make_shared<const access::Access>(access::Access::make(options).value()), 16);
  }
  Bytes plain(std::uint32_t tag, protocol::CommandCode code = protocol::CommandCode::kWrite) {
    protocol::Command command;
    command.code = code;
    command.flag = 1;
    command.value = 10;
    command.tag = tag;
    command.digest.bytes.fill(0xd1);
    Bytes packet(protocol::kCommandBytesMax);
    packet.resize(protocol::encode_command(command, packet));
    return packet;
  }
  Bytes sealed(std::uint32_t tag, protocol::CommandCode code = protocol::CommandCode::kWrite) {
    const Bytes inner = plain(tag, code);
    Bytes packet(crypto::kRequestSealBytes + inner.size());
    const auto key = crypto::shared_key(client_.secret_key, server_.public_key);
    (void)crypto::seal_request(server_.public_key, client_.public_key, *key, nonces_.next(), inner,
                               packet);
    return packet;
  }
  Taken take(BytesView packet, const char* from, FuzzyStore& store) {
    const Peer peer{*IpAddress::parse(from), 40'000};
    const Handled handled = handler_.handle(packet, peer, {clock_.now(), clock_.wall()}, out_);
    const auto& pending = std::get<PendingUpdate>(handled);
    return pending_->submit(store, pending, {0, DatagramRoute{}, pending.ticket}, clock_.now());
  }
  Taken take(BytesView packet, const char* from = "192.0.2.1") {
    return take(packet, from, store_);
  }
  void restart(FuzzyStore& store) {
    pending_ = std::make_shared<PendingUpdates>(1, clock_, repeats_);
    pending_->remember(store.recent_updates(), store.recent_seals());
  }

  testing::ManualClock clock_;
  testing::SeededRandom random_{3};
  NullLogger logger_;
  crypto::NonceSource nonces_{random_};
  Keypair server_;
  Keypair client_;
  FakeStore store_;
  WorkerCounters counters_;
  RequestHandler handler_{store_, random_, counters_};
  std::array<std::uint8_t, kSealedReplyBytesMax> out_{};
  RepeatOptions repeats_;
  std::shared_ptr<PendingUpdates> pending_ = std::make_shared<PendingUpdates>(1, clock_, repeats_);
};

TEST_F(PendingUpdatesTest, CountsARecordedSealedUpdateOnceAtAnyTimeAndFromAnySource) {
  const Bytes write = sealed(1);
  const Bytes del = sealed(2, protocol::CommandCode::kDelete);
  EXPECT_EQ(take(write), Taken::kFirst);
  EXPECT_EQ(take(del), Taken::kFirst);
  for (const Duration later : {Duration(seconds(61)), Duration(hours(1)), Duration(hours(22))}) {
    clock_.advance(later);
    EXPECT_EQ(take(write, "198.51.100.7"), Taken::kKnownDone);
    EXPECT_EQ(take(del, "203.0.113.9"), Taken::kKnownDone);
  }
  EXPECT_EQ(take(sealed(1)), Taken::kFirst) << "a new update from the client itself";
  EXPECT_EQ(store_.applied(), 3U);
}

TEST_F(PendingUpdatesTest, CountsARecordedSealedUpdateOnceAcrossARestart) {
  const shingled::testing::TemporaryDirectory directory;
  EngineOptions options;
  options.hashfile = directory.file("fuzzy.db");
  const Bytes write = sealed(1);
  auto engine = engine::Engine::open(options, clock_, logger_).value();
  EXPECT_EQ(take(write, "192.0.2.1", *engine), Taken::kFirst);
  for (int i = 0; i < 3; ++i) {
    engine.reset();  // waits for the commit
    clock_.advance(hours(1));
    engine = engine::Engine::open(options, clock_, logger_).value();
    restart(*engine);
    EXPECT_EQ(take(write, "198.51.100.7", *engine), Taken::kKnownDone) << i;
  }
  const Digest digest{[] {
    std::array<std::uint8_t, kDigestBytes> bytes{};
    bytes.fill(0xd1);
    return bytes;
  }()};
  EXPECT_EQ(engine->check(digest, nullptr, 1'700'000'000)->flags[0].value, 10);
}

TEST_F(PendingUpdatesTest, CountsAnUpdateInTheClearAgainAfterTheRepeatWindow) {
  EXPECT_EQ(take(plain(1)), Taken::kFirst);
  clock_.advance(seconds(kRepeatSeconds));
  EXPECT_EQ(take(plain(1)), Taken::kKnownDone);
  clock_.advance(seconds(kRepeatSeconds));
  EXPECT_EQ(take(plain(1)), Taken::kFirst);
}

// As with `durability: sync`: the commit is late, and the client repeats its request because it has
// no answer yet. The repeat comes after the commit.
TEST_F(PendingUpdatesTest, RecognizesARepeatAfterALateAnswer) {
  FakeStore late(FakeStore::Commit::kWhenTold);
  for (const int wait : {0, 29, 31, 61, 3600}) {
    const auto tag = static_cast<std::uint32_t>(wait);
    EXPECT_EQ(take(plain(tag), "192.0.2.1", late), Taken::kFirst) << wait;
    clock_.advance(seconds(wait));
    EXPECT_EQ(late.commit(), 1U);
    EXPECT_EQ(take(plain(tag), "192.0.2.1", late), Taken::kKnownDone) << wait;
    clock_.advance(seconds(kRepeatSeconds) - seconds(1));
    EXPECT_EQ(take(plain(tag), "192.0.2.1", late), Taken::kKnownDone) << wait;
  }
}

TEST_F(PendingUpdatesTest, ForgetsTheOldestSealsBeyondTheLimit) {
  repeats_.most = 1000;
  restart(store_);
  const Bytes first = sealed(1);
  std::vector<Bytes> last;
  EXPECT_EQ(take(first), Taken::kFirst);
  for (std::uint32_t i = 2; i < 1600; ++i) {
    const Bytes packet = sealed(i);
    ASSERT_EQ(take(packet), Taken::kFirst);
    if (i >= 1100) last.push_back(packet);
  }
  clock_.advance(seconds(2 * kRepeatSeconds));
  for (const Bytes& packet : last) ASSERT_EQ(take(packet), Taken::kKnownDone);
  EXPECT_EQ(take(first), Taken::kFirst);
}

// X25519 ignores the highest bit of a key, so the packet can be opened with and without the bit.
TEST_F(PendingUpdatesTest, CountsAnUpdateInProgressOnceWhateverTheIgnoredBitOfTheKeyIs) {
  FakeStore store(FakeStore::Commit::kWhenTold);
  Bytes write = sealed(1);
  EXPECT_EQ(take(write, "192.0.2.1", store), Taken::kFirst);
  write[4 + sizeof(crypto::KeyId) + sizeof(crypto::PublicKey) - 1] ^= 0x80;
  EXPECT_EQ(take(write, "198.51.100.7", store), Taken::kRepeat);
  EXPECT_EQ(store.commit(), 1U);
  EXPECT_EQ(take(write, "198.51.100.7", store), Taken::kKnownDone);
}

TEST_F(PendingUpdatesTest, LetsARefusedSealedUpdateTryAgain) {
  FakeStore store(FakeStore::Commit::kWhenTold);
  const Bytes write = sealed(1);
  EXPECT_EQ(take(write, "192.0.2.1", store), Taken::kFirst);
  store.commit(Error{ErrorCode::kUnavailable, "the disk is full"});
  EXPECT_EQ(take(write, "192.0.2.1", store), Taken::kFirst);
}

}  // namespace
}  // namespace shingled::storage::server
