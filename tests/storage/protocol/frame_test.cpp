// Covers storage/protocol/codec.cpp.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "storage/protocol/codec.h"

namespace shingled::storage::protocol {
namespace {

Bytes payload(std::size_t size, std::uint8_t first) {
  Bytes out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::uint8_t>(first + i);
  return out;
}

Bytes framed(const std::vector<Bytes>& payloads) {
  Bytes out;
  for (const Bytes& one : payloads) EXPECT_TRUE(append_frame(one, out));
  return out;
}

/// All frames of a stream that comes in these pieces, copied.
std::vector<Bytes> read_all(FrameReader& reader, const std::vector<BytesView>& pieces) {
  std::vector<Bytes> out;
  for (const BytesView piece : pieces) {
    const Bytes lent(piece.begin(), piece.end());  // destroyed before the next piece
    reader.feed(lent);
    while (const auto frame = reader.next()) out.emplace_back(frame->begin(), frame->end());
  }
  return out;
}

TEST(Frame, BeginsWithItsLengthLowByteFirst) {
  Bytes out;
  EXPECT_TRUE(append_frame(Bytes(0x0160, 7), out));
  ASSERT_EQ(out.size(), 2U + 0x0160);
  EXPECT_EQ(out[0], 0x60);
  EXPECT_EQ(out[1], 0x01);
}

TEST(Frame, IsNeitherEmptyNorTooLong) {
  Bytes out;
  EXPECT_FALSE(append_frame({}, out));
  EXPECT_FALSE(append_frame(Bytes(kFrameBytesMax + 1), out));
  EXPECT_TRUE(out.empty());
  EXPECT_TRUE(append_frame(Bytes(kFrameBytesMax), out));
}

TEST(FrameReader, BreaksAtAForbiddenLength) {
  struct Case {
    const char* why;
    Bytes stream;
    std::size_t frames;
    bool broken;
  };
  const Bytes one = framed({payload(76, 1)});
  const auto followed_by = [&](Bytes more) {
    more.insert(more.begin(), one.begin(), one.end());
    return more;
  };
  const Case cases[] = {
      {"nothing", {}, 0, false},
      {"half a head", {0x60}, 0, false},
      {"a head alone", {0x60, 0x00}, 0, false},
      {"a first byte of 0", {0x00}, 0, false},
      {"a head for 256 bytes", {0x00, 0x01}, 0, false},
      {"a head for the longest frame", {0x00, 0x20}, 0, false},
      {"one byte too long", {0x01, 0x20}, 0, true},
      {"far too long", {0xff, 0xff}, 0, true},
      {"an empty frame", {0x00, 0x00}, 0, true},
      {"an empty frame after a valid one", followed_by({0x00, 0x00}), 1, true},
      {"text of another protocol", {'G', 'E', 'T', ' ', '/'}, 0, true},
      {"a valid frame after a broken one is not read", {0x00, 0x00, 0x01, 0x00, 0x07}, 0, true},
      {"a valid frame and a part of the next", followed_by({0x05, 0x00, 0x01}), 1, false},
  };
  for (const Case& c : cases) {
    FrameReader whole;
    EXPECT_EQ(read_all(whole, {c.stream}).size(), c.frames) << c.why;
    EXPECT_EQ(whole.broken(), c.broken) << c.why;
    FrameReader by_bytes;
    std::vector<BytesView> pieces;
    for (std::size_t i = 0; i < c.stream.size(); ++i)
      pieces.push_back(BytesView(c.stream).subspan(i, 1));
    EXPECT_EQ(read_all(by_bytes, pieces).size(), c.frames) << c.why << ", byte by byte";
    EXPECT_EQ(by_bytes.broken(), c.broken) << c.why << ", byte by byte";
  }
}

TEST(FrameReader, TakesALowerLimitThanTheProtocol) {
  FrameReader reader(144);
  EXPECT_EQ(read_all(reader, {framed({payload(144, 1)})}).size(), 1U);
  EXPECT_TRUE(read_all(reader, {framed({payload(145, 1)})}).empty());
  EXPECT_TRUE(reader.broken());
}

TEST(FrameReader, KnowsWhetherItIsInsideAFrame) {
  const Bytes stream = framed({payload(3, 1), payload(3, 4)});
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    FrameReader reader;
    (void)read_all(reader, {BytesView(stream).first(cut)});
    EXPECT_EQ(reader.in_frame(), cut % 5 != 0) << cut;
  }
}

// Law: the frames are those that were sent, wherever the network cuts the stream.
TEST(FrameReader, GivesTheSameFramesForAnyCut) {
  constexpr std::uint32_t kSeed = 20'26;
  std::mt19937 random(kSeed);
  const std::size_t sizes[] = {1, 2, 3, 76, 255, 256, 332, 1024, 8191, 8192};
  for (int round = 0; round < 300; ++round) {
    std::vector<Bytes> sent;
    for (std::size_t i = random() % 8; i > 0; --i)
      sent.push_back(
          payload(sizes[random() % std::size(sizes)], static_cast<std::uint8_t>(random())));
    const Bytes stream = framed(sent);
    const std::size_t longest = std::size_t{1} << (random() % 15);
    std::vector<BytesView> pieces;
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t size = std::min(1 + random() % longest, stream.size() - at);
      pieces.push_back(BytesView(stream).subspan(at, size));
      at += size;
    }
    FrameReader reader;
    EXPECT_EQ(read_all(reader, pieces), sent) << "seed " << kSeed << ", round " << round;
    EXPECT_FALSE(reader.in_frame());
  }
}

}  // namespace
}  // namespace shingled::storage::protocol
