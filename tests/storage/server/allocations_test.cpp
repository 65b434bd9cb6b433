// The path of a CHECK neither allocates nor locks. This program replaces operator new and the
// C library's mutex, and counts the calls that the server's workers make.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/prctl.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <string_view>

#include "storage/access/source_limits.h"
#include "storage/crypto/keypair.h"
#include "storage/crypto/packet_cipher.h"
#include "storage/engine/engine.h"
#include "storage/protocol/codec.h"
#include "storage/server/fuzzy_server.h"
#include "tests/storage/engine/random_fingerprint.h"
#include "tests/support/fake_store.h"
#include "tests/support/tcp_peer.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/udp_peer.h"

namespace {

std::atomic<std::uint64_t> allocations{0};
std::atomic<std::uint64_t> locks{0};
std::atomic<bool> is_memory_out{false};  // for workers

bool is_worker() {
  std::array<char, 16> name{};
  prctl(PR_GET_NAME, name.data());
  return std::string_view(name.data()).starts_with("fuzzy-");
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (is_worker()) {
    allocations.fetch_add(1);
    if (is_memory_out) throw std::bad_alloc();
  }
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  if (void* memory = std::aligned_alloc(alignment, rounded)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// Not inlined, so that the compiler does not see free() being called for memory from new.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  return allocate(bytes, alignof(std::max_align_t));
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

#if !defined(__SANITIZE_THREAD__)  // ThreadSanitizer replaces the mutex itself
extern "C" __attribute__((visibility("default"))) int pthread_mutex_lock(pthread_mutex_t* mutex) {
  using Lock = int (*)(pthread_mutex_t*);
  static const auto real = reinterpret_cast<Lock>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  if (is_worker()) locks.fetch_add(1);
  return real(mutex);
}
#endif

namespace shingled::storage::server {
namespace {

using testing::TcpPeer;
using testing::UdpPeer;

class AllocationsTest : public ::testing::Test {
 protected:
  AllocationsTest() {
    EngineOptions engine;
    engine.hashfile = directory_.file("fuzzy.db");
    engine_ = engine::Engine::open(engine, clock_, logger_).value();
    EXPECT_TRUE(engine_->apply(std::array{
        Update{.flag = 1, .value = 1, .fingerprint = known_},
        // Several flags, and near enough to be compared with the other one.
        Update{.flag = 1, .value = 1, .fingerprint = cousin_},
        Update{.flag = 2, .value = 1, .fingerprint = cousin_},
    }));
    ServerOptions server;
    server.listen = {*SocketSpec::parse("inet:0@127.0.0.1")};
    server.blocked = {*Network::parse("127.0.0.2")};
    server.keypair = {keypair_};
    server.keypair[0].rights.ratelimit = RateOptions{1e6, 1e9};
    server.forbidden_ids = {200};
    server.delay = std::chrono::seconds(1);
    server.delay_whitelist = {*Network::parse("127.0.0.1")};
    server.skip_hashes.resize(1);
    server.threads = 1;
    server_ = FuzzyServer::start(server, *engine_, clock_, random_, logger_).value();
  }

  static Bytes packet_of(protocol::CommandCode code, const Fingerprint& asked,
                         std::uint8_t version) {
    protocol::Command command;
    command.version = version;
    command.code = code;
    command.digest = asked.digest;
    if (asked.shingles) {
      command.shingle_count = kShingleCount;
      command.shingles = *asked.shingles;
    }
    Bytes packet(protocol::kCommandBytesMax);
    packet.resize(protocol::encode_command(command, packet));
    return packet;
  }
  Bytes sealed(const Bytes& plain) {
    const crypto::SharedKey key =
        crypto::shared_key(client_.secret_key, keypair_.public_key).value();
    Bytes packet(crypto::kRequestSealBytes + plain.size());
    EXPECT_NE(crypto::seal_request(keypair_.public_key, client_.public_key, key, nonces_.next(),
                                   plain, packet),
              0U);
    return packet;
  }
  /// The numbers of allocations and of locks that `times` packets cause.
  std::pair<std::uint64_t, std::uint64_t> cost_of(UdpPeer& peer, const Bytes& packet, bool answered,
                                                  int times) {
    const std::uint64_t allocations_before = allocations;
    const std::uint64_t locks_before = locks;
    for (int i = 0; i < times; ++i) {
      peer.send(packet, server_->addresses().front());
      if (answered && !peer.receive()) ADD_FAILURE() << "no answer";
    }
    if (!answered) {  // wait for the answer to a later packet
      peer_.send(packet_of(protocol::CommandCode::kPing, {}, protocol::kVersionLong),
                 server_->addresses().front());
      EXPECT_TRUE(peer_.receive());
    }
    return {allocations - allocations_before, locks - locks_before};
  }

  shingled::testing::TemporaryDirectory directory_;
  SystemClock clock_;
  SystemRandom random_;
  NullLogger logger_;
  crypto::NonceSource nonces_{random_};
  Keypair keypair_ = crypto::generate_keypair(random_);
  Keypair client_ = crypto::generate_keypair(random_);
  engine::Seeded seeded_{1};
  Fingerprint known_ = engine::random_fingerprint(seeded_);
  Fingerprint cousin_ = engine::near_duplicate(known_, 20, seeded_);
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<FuzzyServer> server_;
  UdpPeer peer_;
};

TEST_F(AllocationsTest, AnsweringADatagramNeitherAllocatesNorLocks) {
  constexpr int kTimes = 200;
  const Fingerprint near = engine::near_duplicate(known_, 18, seeded_);
  const Fingerprint stranger = engine::random_fingerprint(seeded_);
  const Fingerprint digest_alone{known_.digest, std::nullopt};
  UdpPeer blocked("127.0.0.2");
  const struct {
    const char* why;
    Bytes packet;
    bool answered = true;
    bool is_blocked = false;
  } cases[] = {
      {"direct hit",
       packet_of(protocol::CommandCode::kCheck, digest_alone, protocol::kVersionLong)},
      {"direct hit with shingles",
       packet_of(protocol::CommandCode::kCheck, known_, protocol::kVersionLong)},
      {"several flags", packet_of(protocol::CommandCode::kCheck, cousin_, protocol::kVersionFlags)},
      {"near-duplicate", packet_of(protocol::CommandCode::kCheck, near, protocol::kVersionLong)},
      {"miss", packet_of(protocol::CommandCode::kCheck, stranger, protocol::kVersionLong)},
      {"sealed hit",
       sealed(packet_of(protocol::CommandCode::kCheck, digest_alone, protocol::kVersionLong))},
      {"sealed miss",
       sealed(packet_of(protocol::CommandCode::kCheck, stranger, protocol::kVersionFlags))},
      {"PING", packet_of(protocol::CommandCode::kPing, {}, protocol::kVersionLong)},
      {"STAT", packet_of(protocol::CommandCode::kStat, {}, protocol::kVersionLong)},
      {"refused", packet_of(static_cast<protocol::CommandCode>(77), {}, protocol::kVersionLong)},
      {"not a command", Bytes(75, 4), false},
      {"a blocked source", packet_of(protocol::CommandCode::kPing, {}, protocol::kVersionLong),
       false, true},
  };
  for (const auto& c : cases) {
    UdpPeer& peer = c.is_blocked ? blocked : peer_;
    // The first packet may create a client's key, a thread's counters, or a table's first page.
    (void)cost_of(peer, c.packet, c.answered, 1);
    const auto [memory, lock] = cost_of(peer, c.packet, c.answered, kTimes);
    EXPECT_EQ(memory, 0U) << c.why;
    EXPECT_EQ(lock, 0U) << c.why;
  }
}

TEST_F(AllocationsTest, AnsweringOnAConnectionNeitherAllocatesNorLocks) {
  constexpr int kTimes = 200;
  const Fingerprint stranger = engine::random_fingerprint(seeded_);
  TcpPeer peer(server_->addresses().front());
  const struct {
    const char* why;
    Bytes packet;
  } cases[] = {
      {"hit with shingles",
       packet_of(protocol::CommandCode::kCheck, known_, protocol::kVersionLong)},
      {"near-duplicate",
       packet_of(protocol::CommandCode::kCheck, engine::near_duplicate(known_, 18, seeded_),
                 protocol::kVersionFlags)},
      {"sealed miss",
       sealed(packet_of(protocol::CommandCode::kCheck, stranger, protocol::kVersionFlags))},
      {"PING", packet_of(protocol::CommandCode::kPing, {}, protocol::kVersionLong)},
      {"refused", packet_of(static_cast<protocol::CommandCode>(77), {}, protocol::kVersionLong)},
  };
  for (const auto& c : cases) {
    const auto ask = [&] {
      peer.send_frame(Bytes(75, 4));  // not a command
      peer.send_frame(c.packet);
      if (!peer.receive()) ADD_FAILURE() << "no answer";
    };
    for (int i = 0; i < 3; ++i) ask();
    const std::uint64_t allocations_before = allocations;
    const std::uint64_t locks_before = locks;
    for (int i = 0; i < kTimes; ++i) ask();
    EXPECT_EQ(allocations - allocations_before, 0U) << c.why;
    EXPECT_EQ(locks - locks_before, 0U) << c.why;
  }
}

// Loopback is exempt from limits, so this test calls the limits directly, on a counted thread.
TEST(LimitAllocations, LimitingNeitherAllocatesNorLocks) {
  NullLogger logger;
  RateLimitOptions options;
  options.rate = 1;
  options.burst = 5;
  options.whitelist = {*Network::parse("198.51.100.0/24"), *Network::parse("2001:db8::/32")};
  access::LimitState state;
  state.report = std::make_shared<access::LimitReport>(logger);
  const access::SourceLimits limits(options, state);
  TimePoint now(std::chrono::hours(1));
  IpAddress abuser = *IpAddress::parse("192.0.2.1");
  for (int i = 0; i < 10; ++i) (void)limits.admit(abuser, now);  // logs the line of this minute
  prctl(PR_SET_NAME, "fuzzy-test");
  const std::uint64_t allocations_before = allocations;
  const std::uint64_t locks_before = locks;
  std::uint64_t refused = 0;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    IpAddress forged;
    forged.bytes = {11, static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i)};
    (void)limits.admit(forged, now);
    limits.take_back(forged, now);
    refused += limits.admit(abuser, now) ? 0U : 1U;
  }
  const std::uint64_t allocated = allocations - allocations_before;
  const std::uint64_t locked = locks - locks_before;
  prctl(PR_SET_NAME, "test");
  EXPECT_EQ(refused, 100'000U);
  EXPECT_EQ(allocated, 0U);
  EXPECT_EQ(locked, 0U);
}

// Shows that the counters above work: an update waits in a queue for its commit, so it does both.
TEST_F(AllocationsTest, AnUpdateAllocatesAndLocks) {
  const Bytes write = packet_of(protocol::CommandCode::kWrite, known_, protocol::kVersionLong);
  const auto [memory, lock] = cost_of(peer_, write, true, 1);
  EXPECT_GT(memory, 0U);
#if !defined(__SANITIZE_THREAD__)
  EXPECT_GT(lock, 0U);
#else
  (void)lock;
#endif
}

// A request that needs memory when there is none is refused or dropped. Other requests are
// answered, and all requests once there is memory again.
TEST_F(AllocationsTest, RunningOutOfMemoryLosesOnlyRequestsThatNeedIt) {
  const Fingerprint fresh = engine::random_fingerprint(seeded_);
  const Bytes question = packet_of(protocol::CommandCode::kCheck, known_, protocol::kVersionLong);
  const Bytes write = packet_of(protocol::CommandCode::kWrite, fresh, protocol::kVersionLong);
  const Bytes of_new_client = sealed(question);
  TcpPeer before(server_->addresses().front());
  before.send_frame(question);
  ASSERT_TRUE(before.receive()) << "a connection from before";
  const auto ask = [&] {
    peer_.send(question, server_->addresses().front());
    return peer_.receive().has_value();
  };
  ASSERT_TRUE(ask());

  is_memory_out = true;
  peer_.send(of_new_client, server_->addresses().front());
  EXPECT_TRUE(ask()) << "a check needs no memory; it comes after requests that do";
  peer_.send(write, server_->addresses().front());
  EXPECT_TRUE(ask());
  before.send_frame(write);
  EXPECT_FALSE(before.receive()) << "closed";
  TcpPeer meanwhile(server_->addresses().front());
  meanwhile.send_frame(question);
  EXPECT_FALSE(meanwhile.receive()) << "closed";
  EXPECT_TRUE(ask());
  is_memory_out = false;

  // A connection is closed before it is counted.
  EXPECT_TRUE(testing::eventually([&] { return server_->counters().no_memory >= 4; }));
  EXPECT_TRUE(ask());
  EXPECT_EQ(server_->counters().adds, 0U);
  peer_.send(write, server_->addresses().front());
  EXPECT_TRUE(peer_.receive()) << "the same update again: the first one was refused";
  EXPECT_EQ(server_->counters().adds, 1U);
  peer_.send(of_new_client, server_->addresses().front());
  EXPECT_TRUE(peer_.receive());
  TcpPeer after(server_->addresses().front());
  after.send_frame(question);
  EXPECT_TRUE(after.receive());
}

}  // namespace
}  // namespace shingled::storage::server
