// Covers storage/crypto/keypair.cpp.
#include "storage/replication/secure_channel.h"

#include <gtest/gtest.h>

#include "storage/crypto/keypair.h"
#include "storage/replication/message.h"
#include "tests/support/seeded_random.h"

namespace shingled::storage::replication {
namespace {

class SecureChannelTest : public ::testing::Test {
 protected:
  SecureChannel call() { return SecureChannel::call(master_, mirror_.public_key, random_); }
  SecureChannel answer() { return SecureChannel::answer(mirror_, {master_.public_key}, random_); }

  /// Gives the output of one side to the other side. Returns the messages that came out.
  static Result<std::vector<Bytes>> carry(SecureChannel& from, SecureChannel& to) {
    const Bytes bytes = std::exchange(from.output(), {});
    return give(to, bytes);
  }
  static Result<std::vector<Bytes>> give(SecureChannel& to, BytesView bytes) {
    std::vector<Bytes> messages;
    while (true) {
      const auto taken = to.take(bytes);
      if (!taken) return taken.error();
      bytes = bytes.subspan(*taken);
      auto message = to.next();
      if (!message) return message.error();
      if (*message) {
        messages.push_back(**std::move(message));
      } else if (bytes.empty() || *taken == 0) {
        return messages;
      }
    }
  }
  static void shake_hands(SecureChannel& caller, SecureChannel& called) {
    ASSERT_TRUE(carry(caller, called));
    ASSERT_TRUE(carry(called, caller));
    ASSERT_TRUE(caller.is_open());
    ASSERT_TRUE(called.is_open());
  }

  shingled::testing::SeededRandom random_{20'261'127};
  Keypair master_ = crypto::generate_keypair(random_);
  Keypair mirror_ = crypto::generate_keypair(random_);
  Keypair stranger_ = crypto::generate_keypair(random_);
};

TEST_F(SecureChannelTest, CarriesMessagesBothWays) {
  SecureChannel caller = call();
  SecureChannel called = answer();
  shake_hands(caller, called);
  const std::vector<Bytes> messages = {{1}, {}, Bytes(kMessageBytesMax, 7), {2, 3}};
  for (const Bytes& message : messages) caller.send(message);
  EXPECT_EQ(carry(caller, called).value(), messages);
  for (const Bytes& message : messages) called.send(message);
  EXPECT_EQ(carry(called, caller).value(), messages);
  EXPECT_EQ(called.peer(), master_.public_key);
}

TEST_F(SecureChannelTest, AcceptsSingleBytes) {
  SecureChannel caller = call();
  SecureChannel called = answer();
  shake_hands(caller, called);
  caller.send(Bytes{1, 2, 3});
  caller.send(Bytes{4});
  std::vector<Bytes> got;
  const Bytes bytes = std::exchange(caller.output(), {});
  for (const std::uint8_t byte : bytes) {
    const auto messages = give(called, {&byte, 1});
    ASSERT_TRUE(messages);
    got.insert(got.end(), messages->begin(), messages->end());
  }
  EXPECT_EQ(got, (std::vector<Bytes>{{1, 2, 3}, {4}}));
}

TEST_F(SecureChannelTest, EveryWrongBitIsNoticed) {
  SecureChannel caller = call();
  SecureChannel called = answer();
  shake_hands(caller, called);
  caller.send(Bytes{1, 2, 3});
  const Bytes good = std::exchange(caller.output(), {});
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    SecureChannel copy = called;
    Bytes bad = good;
    bad[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    const auto got = give(copy, bad);
    EXPECT_TRUE(!got || got->empty()) << "bit " << bit;
  }
  EXPECT_EQ(give(called, good).value().size(), 1U);
}

TEST_F(SecureChannelTest, AMessageCannotBeLeftOutRepeatedOrMoved) {
  SecureChannel caller = call();
  SecureChannel called = answer();
  shake_hands(caller, called);
  caller.send(Bytes{1});
  const Bytes first = std::exchange(caller.output(), {});
  caller.send(Bytes{2});
  const Bytes second = std::exchange(caller.output(), {});
  SecureChannel left_out = called;
  EXPECT_FALSE(give(left_out, second)) << "the first one is missing";
  ASSERT_TRUE(give(called, first));
  EXPECT_FALSE(give(called, first)) << "a second time";
}

TEST_F(SecureChannelTest, ARecordedMessageCannotBeOpenedInAnotherConnection) {
  SecureChannel caller = call();
  SecureChannel called = answer();
  const Bytes hello = caller.output();
  shake_hands(caller, called);
  caller.send(Bytes{1});
  const Bytes sealed = caller.output();
  SecureChannel replayed = answer();
  ASSERT_TRUE(give(replayed, hello));
  EXPECT_FALSE(give(replayed, sealed));
}

TEST_F(SecureChannelTest, AStrangerGetsNowhere) {
  SecureChannel stranger = SecureChannel::call(stranger_, mirror_.public_key, random_);
  SecureChannel called = answer();
  EXPECT_FALSE(carry(stranger, called)) << "an unknown key";

  // The stranger sends the master's public key without having its secret key.
  Keypair forged = stranger_;
  forged.public_key = master_.public_key;
  SecureChannel forger = SecureChannel::call(forged, mirror_.public_key, random_);
  SecureChannel fooled = answer();
  ASSERT_TRUE(carry(forger, fooled));
  ASSERT_TRUE(carry(fooled, forger));
  forger.send(Bytes{1});
  EXPECT_FALSE(carry(forger, fooled));

  // Or the stranger answers instead of the mirror.
  forged.public_key = mirror_.public_key;
  SecureChannel caller = call();
  SecureChannel impostor = SecureChannel::answer(forged, {master_.public_key}, random_);
  ASSERT_TRUE(carry(caller, impostor));
  ASSERT_TRUE(carry(impostor, caller));
  impostor.send(Bytes{1});
  EXPECT_FALSE(carry(impostor, caller));
}

TEST_F(SecureChannelTest, RefusesATooLargeMessageAndAnotherProtocol) {
  SecureChannel called = answer();
  EXPECT_FALSE(give(called, Bytes(kHelloBytes, 'G')));
  SecureChannel caller = call();
  SecureChannel other = answer();
  shake_hands(caller, other);
  EXPECT_FALSE(give(other, Bytes{0xff, 0xff, 0xff, 0x7f, 0}));
}

TEST_F(SecureChannelTest, RefusesAKeyOfLowOrder) {
  SecureChannel caller = call();
  Bytes hello = caller.output();
  std::fill(hello.end() - 32, hello.end(), std::uint8_t{0});
  SecureChannel called = answer();
  EXPECT_FALSE(give(called, hello));
}

}  // namespace
}  // namespace shingled::storage::replication
