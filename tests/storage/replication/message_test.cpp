#include <gtest/gtest.h>

#include "tests/storage/replication/random_messages.h"

namespace shingled::storage::replication {
namespace {

TEST(ReplicationMessage, IsDecodedAsItWasEncoded) {
  engine::Seeded random(20'261'122);
  for (const Message& message : one_of_each(random)) {
    const Bytes bytes = encode_message(message);
    EXPECT_LE(bytes.size(), kMessageBytesMax);
    const auto again = decode_message(bytes);
    ASSERT_TRUE(again) << "kind " << message.index();
    EXPECT_EQ(*again, message) << "kind " << message.index();
  }
}

TEST(ReplicationMessage, IsNotValidIfTruncatedOrTooLong) {
  engine::Seeded random(20'261'123);
  for (const Message& message : one_of_each(random)) {
    Bytes bytes = encode_message(message);
    const bool counts_itself = std::holds_alternative<RangeSums>(message);
    const std::size_t step = bytes.size() > 4096 ? 997 : 1;
    for (std::size_t size = 0; size < bytes.size(); size += step) {
      if (counts_itself && size > 5 && (size - 5) % 8 == 0) continue;  // fewer sums
      EXPECT_FALSE(decode_message(BytesView(bytes).first(size)))
          << "kind " << message.index() << " cut to " << size;
    }
    bytes.push_back(0);
    EXPECT_FALSE(decode_message(bytes)) << "kind " << message.index() << " with one byte more";
  }
}

struct BadMessage {
  const char* why;
  Bytes bytes;
};

Bytes with(Bytes bytes, std::size_t at, std::uint8_t value) {
  bytes.at(at) = value;
  return bytes;
}

TEST(ReplicationMessage, IsNotValidOutsideItsBounds) {
  engine::Seeded random(20'261'124);
  const Part part = random_part(random, 2, false);
  const Bytes record =
      encode_message(RangeRecords{{PartRecord{engine::random_digest(random), part}}});
  constexpr std::size_t kFlagCount = 1 + 4 + 1 + 64 + 4 + 4 + 8;
  Bytes unsorted = record;
  std::swap_ranges(unsorted.begin() + kFlagCount + 1, unsorted.begin() + kFlagCount + 9,
                   unsorted.begin() + kFlagCount + 9);
  Bytes twice = record;
  std::copy_n(twice.begin() + kFlagCount + 1, 8, twice.begin() + kFlagCount + 9);
  const Bytes sums = encode_message(RangeSums{0, {1, 2}});
  const Bytes done = encode_message(RangesDone{{1, 1}});
  const std::vector<BadMessage> cases = {
      {"an unknown kind of message", {10}},
      {"the same flag twice", twice},
      {"flags are not sorted: equal parts must have equal bytes", unsorted},
      {"a part without flags must be sent as deleted", with(record, kFlagCount, 0)},
      {"more than eight lists", with(record, kFlagCount, 9)},
      {"an unknown kind of record", with(record, 5, 5)},
      {"fewer records than announced", with(record, 1, 2)},
      {"more records than a message may have", with(record, 2, 3)},
      {"ranges beyond the last one", with(with(sums, 1, 0xff), 2, 0xff)},
      {"an era of 0 is not a valid position", with(done, 1, 0)},
      {"a number that no file could hold", with(done, 16, 0x80)},
      {"a flag for the position that is neither 0 nor 1", with(encode_message(Resume{}), 17, 2)},
  };
  for (const BadMessage& bad : cases) EXPECT_FALSE(decode_message(bad.bytes)) << bad.why;
  EXPECT_TRUE(decode_message(record));
  EXPECT_TRUE(decode_message(sums));
  EXPECT_TRUE(decode_message(done));
}

}  // namespace
}  // namespace shingled::storage::replication
