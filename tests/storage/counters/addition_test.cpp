#include "storage/counters/addition.h"

#include <gtest/gtest.h>

#include <vector>

#include "mime/fingerprint/piece_shingle.h"

namespace shingled::storage::counters {
namespace {

const CounterKeyBytes kSite = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

TEST(Addition, CounterOfAPieceHasItsShingleTypeAndDirection) {
  const CounterKey key = counter_of(kSite, Direction::kOut, PieceType::kFrom, "a@example.org");
  EXPECT_EQ(key.shingle, piece_shingle(kSite, PieceType::kFrom, "a@example.org"));
  EXPECT_EQ(key.type, PieceType::kFrom);
  EXPECT_EQ(key.direction, Direction::kOut);
  EXPECT_NE(key.shingle,
            counter_of(kSite, Direction::kOut, PieceType::kSender, "a@example.org").shingle);
  CounterKeyBytes other = kSite;
  other[0] ^= 1;
  EXPECT_NE(key.shingle,
            counter_of(other, Direction::kOut, PieceType::kFrom, "a@example.org").shingle);
}

TEST(Addition, PairHashesBothPiecesAndItsUniqueTheFirst) {
  const Pair pair = pair_of(kSite, Direction::kIn, PieceType::kSenderRecipient, "a@x", "b@y");
  EXPECT_EQ(pair.key.type, PieceType::kSenderRecipient);
  EXPECT_EQ(pair.unique_key(),
            counter_of(kSite, Direction::kIn, PieceType::kUniqueRecipients, "a@x"));
  const Pair other = pair_of(kSite, Direction::kIn, PieceType::kSenderRecipient, "a@x", "c@y");
  EXPECT_NE(pair.key, other.key);
  EXPECT_EQ(pair.unique, other.unique);
}

TEST(Addition, PiecesOfAPairDoNotRunIntoEachOther) {
  const Pair one = pair_of(kSite, Direction::kIn, PieceType::kSenderRecipient, "ab", "c");
  const Pair other = pair_of(kSite, Direction::kIn, PieceType::kSenderRecipient, "a", "bc");
  EXPECT_NE(one.key, other.key);
}

TEST(Addition, DecodesWhatWasEncodedAndNothingShorterOrLonger) {
  Addition addition{{counter_of(kSite, Direction::kIn, PieceType::kLinkHost, "example.org")},
                    {pair_of(kSite, Direction::kOut, PieceType::kSenderRecipient, "a@x", "b@y")},
                    {}};
  addition.amounts.of(Measure::kMass) = 1;
  addition.amounts.of(Measure::kBytes) = kCountMax;
  Bytes bytes;
  encode_addition(addition, bytes);
  EXPECT_EQ(decode_addition(bytes), addition);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_addition(BytesView(bytes).first(size))) << size;
  bytes.push_back(0);
  EXPECT_FALSE(decode_addition(bytes));
}

}  // namespace
}  // namespace shingled::storage::counters
