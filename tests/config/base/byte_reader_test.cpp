#include "config/base/byte_reader.h"

#include <gtest/gtest.h>

#include <limits>

namespace shingled {
namespace {

TEST(ByteReader, ReadsLittleEndian) {
  const Bytes bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  ByteReader reader(bytes);
  EXPECT_EQ(reader.u8(), 0x01);
  EXPECT_EQ(reader.u16(), 0x0302);
  EXPECT_EQ(reader.u32(), 0x07060504U);
  EXPECT_EQ(reader.u64(), 0x0f0e0d0c0b0a0908U);
  EXPECT_TRUE(reader.done());
}

TEST(ByteReader, StaysFailedAfterTheFirstReadThatDoesNotFit) {
  const Bytes bytes = {1, 2, 3};
  ByteReader reader(bytes);
  EXPECT_EQ(reader.u32(), 0U);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.u8(), 0) << "although one would fit";
  EXPECT_TRUE(reader.bytes(1).empty());
  EXPECT_FALSE(reader.done());
}

TEST(ByteReader, IsNotFooledByAHugeCount) {
  const Bytes bytes = {1, 2, 3};
  ByteReader reader(bytes);
  EXPECT_TRUE(reader.bytes(std::numeric_limits<std::size_t>::max()).empty());
  EXPECT_FALSE(reader.ok());
}

TEST(ByteWriter, WritesWhatTheReaderReads) {
  std::array<std::uint8_t, 33> buffer{};
  ByteWriter writer(buffer);
  writer.u8(200);
  writer.u16(60'000);
  writer.u32(4'000'000'000);
  writer.u64(0x8000000000000001);
  writer.i32(-5);
  writer.f32(0.25F);
  writer.bytes(Bytes{9, 8});
  writer.zeros(8);
  ASSERT_TRUE(writer.ok());
  EXPECT_EQ(writer.written(), buffer.size());
  ByteReader reader(buffer);
  EXPECT_EQ(reader.u8(), 200);
  EXPECT_EQ(reader.u16(), 60'000);
  EXPECT_EQ(reader.u32(), 4'000'000'000);
  EXPECT_EQ(reader.u64(), 0x8000000000000001);
  EXPECT_EQ(reader.i32(), -5);
  EXPECT_EQ(reader.f32(), 0.25F);
  EXPECT_EQ(reader.array<2>(), (std::array<std::uint8_t, 2>{9, 8}));
  EXPECT_EQ(reader.u64(), 0U);
  EXPECT_TRUE(reader.done());
}

TEST(ByteWriter, NeverWritesPastTheEnd) {
  std::array<std::uint8_t, 4> buffer = {1, 2, 3, 4};
  ByteWriter writer(std::span<std::uint8_t>(buffer).first(2));
  writer.u32(0xffffffff);
  EXPECT_FALSE(writer.ok());
  writer.u8(9);
  EXPECT_FALSE(writer.ok());
  EXPECT_EQ(buffer, (std::array<std::uint8_t, 4>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace shingled
