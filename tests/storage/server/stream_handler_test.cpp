#include "storage/server/stream_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "storage/crypto/keypair.h"
#include "storage/protocol/codec.h"
#include "tests/support/fake_store.h"
#include "tests/support/manual_clock.h"
#include "tests/support/seeded_random.h"

namespace shingled::storage::server {
namespace {

using ::testing::ElementsAre;
using testing::FakeStore;
using ::testing::IsEmpty;
using testing::ManualClock;
using testing::SeededRandom;
using End = StreamHandler::End;

protocol::Command command(protocol::CommandCode code, std::uint32_t tag) {
  protocol::Command command;
  command.code = code;
  command.tag = tag;
  command.flag = 5;
  command.value = 1;
  command.digest.bytes.fill(static_cast<std::uint8_t>(tag % 7));
  return command;
}

Bytes packet_of(const protocol::Command& command) {
  Bytes packet(protocol::kFrameBytesMax);
  packet.resize(protocol::encode_command(command, packet));
  return packet;
}

/// Everything that a handler needs from its worker, and one stream.
class StreamHandlerTest : public ::testing::Test {
 protected:
  StreamHandlerTest() {
    server_ = crypto::generate_keypair(random_);
    client_ = crypto::generate_keypair(random_);
    options_.keypair = {server_};
    use();
    stream_.name = 7;
    stream_.peer = {*IpAddress::parse("127.0.0.1"), 40'000, Transport::kStream};
  }
  void use() {
    handler_.use(std::make_shared<const access::Access>(access::Access::make(options_).value()), 8);
  }
  Bytes sealed(const Bytes& plain) {
    Bytes packet(crypto::kRequestSealBytes + plain.size());
    crypto::Nonce nonce{};
    random_.fill(nonce);
    EXPECT_EQ(
        crypto::seal_request(server_.public_key, client_.public_key, key(), nonce, plain, packet),
        packet.size());
    return packet;
  }
  [[nodiscard]] crypto::SharedKey key() const {
    return *crypto::shared_key(client_.secret_key, server_.public_key);
  }
  End take(BytesView bytes) { return handler_.take(stream_, bytes, clock_.now(), out_).end; }
  End take_frame(BytesView payload) {
    Bytes frame;
    EXPECT_TRUE(protocol::append_frame(payload, frame));
    return take(frame);
  }
  void answer_updates() {
    for (const FinishedUpdate& update : pending_->mailbox(0).take())
      handler_.finish(stream_, update, out_);
  }
  /// The replies so far, in the clear.
  std::vector<protocol::Reply> replies() {
    std::vector<protocol::Reply> replies;
    protocol::FrameReader reader;
    reader.feed(out_);
    while (const auto frame = reader.next()) {
      Bytes plain(frame->begin(), frame->end());
      if (frame->size() > protocol::kReplyBytesMax || frame->size() == 56 || frame->size() == 136) {
        plain.resize(crypto::open(key(), *frame, plain).value_or(0));
      }
      replies.push_back(protocol::decode_reply(plain).value());
    }
    EXPECT_FALSE(reader.in_frame());
    return replies;
  }
  std::vector<std::uint32_t> tags() {
    std::vector<std::uint32_t> tags;
    for (const protocol::Reply& reply : replies()) tags.push_back(reply.tag);
    return tags;
  }

  ServerOptions options_;
  FakeStore store_;
  ManualClock clock_;
  SeededRandom random_{11};
  NullLogger logger_;
  AccessSource access_{AccessSource::Snapshot{}};
  LossReport losses_{logger_};
  std::shared_ptr<PendingUpdates> pending_ = std::make_shared<PendingUpdates>(1, clock_);
  WorkerShared shared_{store_, clock_, random_, access_, *pending_, losses_};
  WorkerCounters counters_;
  StreamHandler handler_{0, shared_, counters_};
  Keypair server_;
  Keypair client_;
  Stream stream_;
  Bytes out_;
};

TEST_F(StreamHandlerTest, AnUnreachableStoreIsNotReportedAsAMiss) {
  store_.go_away();
  ASSERT_EQ(take_frame(packet_of(command(protocol::CommandCode::kCheck, 5))), End::kNone);
  const auto answers = replies();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].value, protocol::kStatusStoreAway);
  EXPECT_EQ(answers[0].flag, 0U);
  EXPECT_EQ(answers[0].tag, 5U);
  EXPECT_EQ(answers[0].probability, 0.0F);
  EXPECT_EQ(counters_.checks.read(), 0U);
  EXPECT_EQ(counters_.refused.read(), 1U);
}

TEST_F(StreamHandlerTest, AnswersFramesLikeDatagrams) {
  struct Case {
    const char* why;
    Bytes payload;
    std::size_t reply_bytes;  // 0 = none
  };
  const auto versioned = [](std::uint8_t version) {
    protocol::Command check = command(protocol::CommandCode::kCheck, 1);
    check.version = version;
    return packet_of(check);
  };
  protocol::Command many = command(protocol::CommandCode::kPing, 1);
  Bytes extensions(protocol::kFrameBytesMax - protocol::kCommandBytes, 0);
  for (std::size_t i = 0; i + 1 < extensions.size(); i += 2) extensions[i] = 0x81;
  many.extensions = extensions;
  protocol::Command more = command(protocol::CommandCode::kPing, 1);
  more.extensions =
      BytesView(extensions)
          .first(protocol::kFrameBytesMax - protocol::kCommandBytes - crypto::kRequestSealBytes);
  const Case cases[] = {
      {"version 3", versioned(3), 16},
      {"version 4", versioned(4), 96},
      {"version 5", versioned(5), 144},
      {"version 0x14", versioned(0x14), 144},
      {"sealed version 3", sealed(versioned(3)), 56},
      {"sealed version 4", sealed(versioned(4)), 136},
      {"sealed version 5", sealed(versioned(5)), 184},
      {"the longest frame, full of extensions", packet_of(many), 96},
      {"the longest frame, sealed", sealed(packet_of(more)), 136},
      {"another version", versioned(6), 0},
      {"one byte", {4}, 0},
      {"one byte more than version 3 has",
       [&] {
         Bytes longer = versioned(3);
         longer.push_back(0);
         return longer;
       }(),
       0},
      {"noise instead of a sealed packet", Bytes(200, 'r'), 0},
  };
  for (const Case& c : cases) {
    out_.clear();
    EXPECT_EQ(take_frame(c.payload), End::kNone) << c.why << ": the stream goes on";
    EXPECT_EQ(out_.size(), c.reply_bytes == 0 ? 0 : protocol::kFrameHeadBytes + c.reply_bytes)
        << c.why;
  }
}

TEST_F(StreamHandlerTest, GivesTheLongReplyToAnyoneBecauseTheSourceIsNotForged) {
  stream_.peer.ip = *IpAddress::parse("192.0.2.1");
  protocol::Command check = command(protocol::CommandCode::kCheck, 1);
  check.version = protocol::kVersionFlags;
  EXPECT_EQ(take_frame(packet_of(check)), End::kNone);
  EXPECT_EQ(out_.size(), protocol::kFrameHeadBytes + 144);
}

TEST_F(StreamHandlerTest, EndsAtABadFrameAfterAnsweringTheGoodOnes) {
  Bytes bytes;
  EXPECT_TRUE(protocol::append_frame(packet_of(command(protocol::CommandCode::kCheck, 1)), bytes));
  EXPECT_TRUE(protocol::append_frame(packet_of(command(protocol::CommandCode::kPing, 2)), bytes));
  bytes.insert(bytes.end(), {0, 0});
  EXPECT_TRUE(protocol::append_frame(packet_of(command(protocol::CommandCode::kPing, 3)), bytes));
  EXPECT_EQ(take(bytes), End::kBadFrame);
  EXPECT_THAT(tags(), ElementsAre(1, 2));
}

TEST_F(StreamHandlerTest, EndsWhenTheSourceWasBlockedMeanwhile) {
  EXPECT_EQ(take_frame(packet_of(command(protocol::CommandCode::kPing, 1))), End::kNone);
  options_.blocked = {*Network::parse("127.0.0.1")};
  use();
  EXPECT_EQ(take_frame(packet_of(command(protocol::CommandCode::kPing, 2))), End::kBlocked);
  EXPECT_THAT(tags(), ElementsAre(1));
  EXPECT_EQ(counters_.read().blocked, 1U);
}

TEST_F(StreamHandlerTest, AnswersChecksBeforeUpdatesThatWait) {
  FakeStore waiting(FakeStore::Commit::kWhenTold);
  StreamHandler handler(0, {waiting, clock_, random_, access_, *pending_, losses_}, counters_);
  handler.use(std::make_shared<const access::Access>(access::Access::make(options_).value()), 8);
  Bytes bytes;
  EXPECT_TRUE(protocol::append_frame(packet_of(command(protocol::CommandCode::kWrite, 1)), bytes));
  EXPECT_TRUE(protocol::append_frame(packet_of(command(protocol::CommandCode::kCheck, 8)), bytes));
  (void)handler.take(stream_, bytes, clock_.now(), out_);
  EXPECT_THAT(tags(), ElementsAre(8));
  EXPECT_EQ(replies().front().probability, 0.0F) << "not stored yet";
  EXPECT_EQ(stream_.updates, 1U);
  EXPECT_EQ(waiting.commit(), 1U);
  for (const FinishedUpdate& update : pending_->mailbox(0).take()) {
    EXPECT_EQ(std::get<StreamRoute>(update.waiting.route).stream, stream_.name);
    handler.finish(stream_, update, out_);
  }
  EXPECT_THAT(tags(), ElementsAre(8, 1));
  EXPECT_EQ(stream_.updates, 0U);
}

// Twelve times the same update: eight requests may wait for it, and the stream waits only for
// these.
TEST_F(StreamHandlerTest, WaitsOnlyForRepeatsThatWillBeAnswered) {
  FakeStore waiting(FakeStore::Commit::kWhenTold);
  StreamHandler handler(0, {waiting, clock_, random_, access_, *pending_, losses_}, counters_);
  handler.use(std::make_shared<const access::Access>(access::Access::make(options_).value()), 8);
  Bytes bytes;
  for (int i = 0; i < 12; ++i)
    EXPECT_TRUE(
        protocol::append_frame(packet_of(command(protocol::CommandCode::kWrite, 1)), bytes));
  (void)handler.take(stream_, bytes, clock_.now(), out_);
  EXPECT_EQ(stream_.updates, PendingUpdates::kWaitersMax);
  EXPECT_EQ(waiting.commit(), 1U);
  for (const FinishedUpdate& update : pending_->mailbox(0).take())
    handler.finish(stream_, update, out_);
  EXPECT_EQ(stream_.updates, 0U);
  EXPECT_EQ(replies().size(), PendingUpdates::kWaitersMax);
  out_.clear();
  (void)handler.take(stream_, bytes, clock_.now(), out_);
  EXPECT_EQ(replies().size(), 12U) << "a finished update is answered at once";
  EXPECT_EQ(waiting.applied(), 1U);
}

/// Plain and sealed requests of all kinds, and rubbish between them.
class StreamHandlerLaw : public StreamHandlerTest {
 protected:
  Bytes random_stream(std::mt19937& random) {
    Bytes stream;
    for (std::uint32_t tag = 1; tag <= 200; ++tag) {
      constexpr protocol::CommandCode kCodes[] = {
          protocol::CommandCode::kCheck,  protocol::CommandCode::kCheck,
          protocol::CommandCode::kCheck,  protocol::CommandCode::kWrite,
          protocol::CommandCode::kDelete, protocol::CommandCode::kPing,
          protocol::CommandCode::kStat,   static_cast<protocol::CommandCode>(99)};
      constexpr std::uint8_t kVersions[] = {3, 4, 5, 0x14, 6};
      protocol::Command one = command(kCodes[random() % std::size(kCodes)], tag);
      one.version = kVersions[random() % std::size(kVersions)];
      if (random() % 2 == 0) one.shingle_count = kShingleCount;
      Bytes packet = packet_of(one);
      if (random() % 3 == 0) packet = sealed(packet);
      if (random() % 10 == 0) packet[random() % packet.size()] ^= 0x40;
      EXPECT_TRUE(protocol::append_frame(packet, stream));
    }
    if (random() % 2 == 0) stream.insert(stream.end(), {0xff, 0xff, 1, 2, 3});
    return stream;
  }
};

// The law: the replies do not depend on how the network cuts a stream into reads. Updates are
// answered after everything was read, so their answers are the same, too, after the others.
TEST_F(StreamHandlerLaw, AnswersTheSameForAnyCut) {
  constexpr std::uint32_t kSeed = 335;
  std::mt19937 random(kSeed);
  for (int round = 0; round < 20; ++round) {
    const Bytes bytes = random_stream(random);
    std::vector<protocol::Reply> expected;
    for (const std::size_t longest :
         {bytes.size(), std::size_t{1}, std::size_t{97}, std::size_t{1500}, std::size_t{16'384}}) {
      FakeStore store;
      const auto pending = std::make_shared<PendingUpdates>(1, clock_);
      StreamHandler handler(0, {store, clock_, random_, access_, *pending, losses_}, counters_);
      handler.use(std::make_shared<const access::Access>(access::Access::make(options_).value()),
                  8);
      Stream stream;
      stream.peer = stream_.peer;
      out_.clear();
      End end = End::kNone;
      for (std::size_t at = 0; at < bytes.size() && end == End::kNone;) {
        const std::size_t size =
            std::min(bytes.size() - at,
                     longest < bytes.size() && longest > 1 ? 1 + random() % longest : longest);
        const Bytes lent(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                         bytes.begin() + static_cast<std::ptrdiff_t>(at + size));
        end = handler.take(stream, lent, clock_.now(), out_).end;
        at += size;
      }
      for (const FinishedUpdate& update : pending->mailbox(0).take())
        handler.finish(stream, update, out_);
      EXPECT_EQ(stream.updates, 0U);
      if (expected.empty()) expected = replies();
      EXPECT_FALSE(expected.empty());
      EXPECT_EQ(replies(), expected)
          << "seed " << kSeed << ", round " << round << ", reads of " << longest;
    }
  }
}

}  // namespace
}  // namespace shingled::storage::server
